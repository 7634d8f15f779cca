# The pages in English. A message whose name ends in -html is HTML; all others are text.

language-name = English

## The frame

skip = Skip to the content
nav-site = Site
nav-languages = Languages
nav-pages = Pages
nav-keys = Get a key
nav-docs = API

day = { $day } { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
  } { $year }
untitled = Untitled
copy = Copy
copy-done = Copied
at-most = At most { $max } characters.

## Lists of posts

home-title = Latest posts
home-tagged = Posts tagged #{ $tag }
home-description = Short posts, newest first, on { $name }.
home-lead = Short posts, published by program: one key, one request, and yours stands here.
home-start = Get a key and begin
home-all = All posts
home-count = { $count ->
    [one] One post
   *[other] { $count } posts
  }
home-empty = There are no posts here yet.
home-past-the-end = The list ends before this page.
page-newer = Newer posts
page-older = Older posts
page-last = To the last page
page-of = Page { $page } of { $last }

## A post

task-done = Done
task-open = Not done
post-changed = changed
post-tags = Tags
post-more = More posts
post-source = Source (Markdown)

## API keys

keys-title = Get an API key
keys-lead = With an API key, your programs publish posts here. It takes one press of the button.
keys-label = What is the key for?
keys-label-hint = Optional: a name by which you know it again.
keys-ask = Get a key
keys-secret = Whoever has the key can publish with it. Keep it where you keep passwords.
keys-closed = API keys are not given out here. Ask whoever runs this service for one.
keys-issued = Your API key
keys-once = This is shown once, and never again.
keys-keep = Copy it now, and keep it where you keep passwords.
keys-try = Publish your first post
keys-paste = Paste this into a terminal. Your key is in it already:
keys-answer-html = The answer has the address of your post as <code>url</code>, and as <code>edit_url</code> the secret address at which you change or delete it.
keys-more = All that the API can do
example-title = Hello
example-body = My first *post*.

## The edit page

field-title = Title
field-body = Text
field-body-hint = In Markdown: **bold**, *italic*, # heading, - list, [link](https://…).
field-tags = Tags
field-tags-hint = Separated by commas: at most { $tags }, of at most { $max } characters each.
field-focus_keyword = Focus keyword
field-focus_keyword-hint = What people search for when they should find this post.
edit-title = Edit the post
edit-saved = Saved.
edit-read = Read the post
edit-save = Save
edit-preview = Preview
edit-faults = Nothing is saved yet. Please mend:
edit-secret = Whoever has the address of this page can change and delete the post: keep it secret.
preview-title = Preview
preview-faults = There is no preview before this is mended:

conflict-title = The post was changed meanwhile
conflict-lead = Somebody saved another version after you opened this page. Nothing of yours is lost, and nothing of theirs was overwritten. What differs is marked.
conflict-published = Published now
conflict-typed = Yours, not saved
conflict-choose = Take what you need of what is published into the form below, then save: yours takes the place of what is published. Or:
conflict-discard = keep what is published, and drop yours

delete-title = Delete the post
delete-lead = Whoever opens its address is told from then on that the post was deleted. It can't be brought back.
delete-confirm = Yes, delete this post for good
delete-now = Delete
delete-unconfirmed = Nothing was deleted. Tick the box first.
delete-overtaken = Nothing was deleted: the post was changed after you opened this page. Look at it as it is now, then decide again.
deleted-title = The post is deleted
deleted-lead = Its address answers from now on that it is gone.

advice-title = Being found
advice-done = Done:
advice-todo = To do:
advice-no-keyword = Fill in a focus keyword, and advice on how the post uses it appears here.
advice-title-met = the title has the focus keyword.
advice-title-todo = put the focus keyword into the title.
advice-title-missing = give the post a title that has the focus keyword.
advice-opening-met = the first paragraph has the focus keyword.
advice-opening-todo = use the focus keyword in the first paragraph.
advice-headings-met = a heading has the focus keyword.
advice-headings-todo = use the focus keyword in one of the headings.
advice-headings-missing = part the long text by headings (a line that begins with ##), one of them with the focus keyword.
advice-headings-not-needed = a text this short needs no headings.
advice-description-met = the description, which is how the text begins, has a good length and the focus keyword.
advice-description-short = say more at the beginning of the text: search engines show it as the description, and it has { $characters } of at least { $least } characters.
advice-description-todo = use the focus keyword within the first { $shown } characters of the text: search engines show them as the description.
advice-frequency-met = the text uses the focus keyword { $times ->
    [one] once
   *[other] { $times } times
  }, which is well for its length.
advice-frequency-low = the text uses the focus keyword { $times ->
    [0] not at all
    [one] once
   *[other] { $times } times
  }: for its length, use it { $least ->
    [one] once
   *[other] { $least } times
  } at least.
advice-frequency-high = the text uses the focus keyword { $times } times: for its length, { $most } times are enough. Replace some by other words.

## What can be wrong with a field

fault-required = A post needs this.
fault-blank = Write something: white space alone is not enough.
fault-wrong_type = This is not of the type that is expected.
fault-unknown_field = There is no such field.
fault-too_long = At most { $max } characters: shorten it.
fault-too_many = At most { $max } of them: leave some out.
fault-control_character = There is a character in it that does not show, such as a tab or a line end. Take it out.
fault-bidi_override = There is a character in it that reverses the direction of text. Take it out.
fault-nul = There is a character U+0000 in it. Take it out.
fault-comma = No comma inside a tag.
fault-too_complex = As HTML it would become too large. Use less nesting, or smaller tables.

## Problems, and what to do about them

errors-title = What can go wrong
errors-lead-html = Every error is an <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is one of these, and its <code>detail</code> says what it was this time.
problem-home = The latest posts
problem-docs = How the API works

problem-invalid_json = The body is not a JSON object
help-invalid_json = Send one JSON object in UTF-8, each name in it once.
problem-invalid_parameter = A query parameter is not valid
help-invalid_parameter = Look at what is behind the question mark in the address: the detail names the part that is wrong.
problem-invalid_header = A header is not valid
help-invalid_header = Send the header that the detail names once, in the form that its standard gives it.
problem-conflicting_edit_tokens = Two different edit tokens were sent
help-conflicting_edit_tokens = Send the edit token in the header X-Edit-Token or as the parameter token, not different ones in both.
problem-invalid_idempotency_key = The idempotency key is not valid
help-invalid_idempotency_key = Send one Idempotency-Key of 1 to 255 visible ASCII characters: a random UUID is a good one.
problem-missing_api_key = An API key is needed
help-missing_api_key = Send your API key in the header X-Api-Key. The page “Get a key” gives you one.
problem-invalid_api_key = The API key is not valid
help-invalid_api_key = Check that you copied the key whole. If it was revoked, get another one.
problem-missing_edit_token = The post's edit token is needed
help-missing_edit_token = Send the edit_token that the creation of the post answered, in the header X-Edit-Token.
problem-invalid_edit_token = The edit token is not this post's
help-invalid_edit_token = Use the token of this very post. If it was replaced or lost, whoever created the post gets a new one with the API key.
problem-not_the_creator = The API key did not create this post
help-not_the_creator = Use the API key that the post was created with, or the post's edit token.
problem-key_requests_closed = API keys are not given out on request
help-key_requests_closed = Ask whoever runs this service for a key.
problem-cross_origin_form = The form was sent from another site
help-cross_origin_form = Open the page of the form itself, and send it from there.
problem-not_found = There is nothing at this address
help-not_found = Check that the address is whole: that of a post ends in ten letters. Perhaps you find what you look for among the latest posts.
problem-method_not_allowed = The method is not allowed here
help-method_not_allowed = Use one of the methods that the header Allow lists.
problem-edit_token_replaced = The edit token of this creation was replaced
help-edit_token_replaced = The post is there; use the token that took the place of the first one, or create another post with another idempotency key.
problem-gone = The post was deleted
help-gone = It does not come back. There are others among the latest posts.
problem-precondition_failed = The post was changed meanwhile
help-precondition_failed = Read the post again, apply your change to what it is now, and send the new ETag in If-Match.
problem-body_too_large = The request's body is too large
help-body_too_large = Send less: a request has at most 1 MiB, unless this service says otherwise.
problem-unsupported_media_type = The body's media type is not supported
help-unsupported_media_type = Send JSON as Content-Type: application/json, in UTF-8 and not compressed.
problem-invalid_post = The post is not valid
help-invalid_post = Mend the fields that errors lists: each says what is wrong with it.
problem-idempotency_key_reused = The idempotency key was used for another body
help-idempotency_key_reused = Repeat the very same body, or take a new idempotency key for a new post.
problem-too_many_requests = Too many requests
help-too_many_requests = Wait for as many seconds as the header Retry-After says, then go on.
problem-store_unavailable = The store is not available
help-store_unavailable = This is not your fault. Try again in a moment.
