# The pages in English. What stands between backticks is code, where a page shows it so.

language-name = English

## The frame

skip = Skip to the content
nav-site = Site
nav-languages = Languages
nav-pages = Pages
nav-keys = Get a key
nav-docs = API
nav-feed = Feed

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
keys-answer = The answer has the address of your post as `url`, and as `edit_url` the secret address at which you change or delete it.
keys-more = All that the API can do
example-title = Hello
example-body = My first *post*.

## The edit page

label-title = Title
label-body = Text
hint-body = In Markdown: **bold**, *italic*, # heading, - list, [link](https://…).
label-tags = Tags
hint-tags = Separated by commas: at most { $tags }, of at most { $max } characters each.
label-focus_keyword = Focus keyword
hint-focus_keyword = What people search for when they should find this post.
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
errors-lead = Every error is an `application/problem+json` (RFC 9457). Its `code` is one of those below, its `type` leads to this page, and its `detail` says in English what it was this time.
errors-description = Every error of the API of { $name }: its code, its status, and what to do about it.
errors-example = One of them, as it is sent:
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

## The docs. Text between backticks is code. What begins with op-, param- and field- is said by openapi.json too.

docs-title = How the API works
docs-description = Publish and change short posts on { $name } by program, with curl lines to paste.
docs-lead = Short posts in Markdown, published by program: JSON over HTTP. Reading takes no key.
docs-tour = A tour with curl
docs-tour-lead = Paste block after block into one terminal with bash. The arrow shows the status that comes back. What you publish is for all to see.
docs-operations = Operations
docs-signature = In short: credential · parameters · JSON → status, JSON + headers; | means or.
docs-common = Almost everywhere:
docs-parameters = Parameters and headers
docs-fields = Fields (≤ characters)
docs-needed = Required.
docs-pages = Pages and feeds

tour-key = Get a key
tour-key-text = Publishing takes an API key, shown this once; `KEY` keeps it for what follows. With a browser:
tour-key-own = Publishing takes an API key: put yours in the place of the dots. With a browser:
tour-create = Publish
tour-create-text = The answer has the post’s address, and its edit token, shown this once: keep it.
tour-read = Read
tour-read-text = As JSON with the HTML in it, and as the Markdown that was sent.
tour-list = List
tour-list-text = Newest first. The header `Link` leads to the other pages.
tour-change = Change
tour-change-text = What you leave out is kept; `null` clears.
tour-seen = Change only what you have seen
tour-seen-text = `ETag` names the state that you read. `If-None-Match` asks for a newer one: 304, there is none. `If-Match` changes that state alone: the second time comes too late, since the first changed it.
tour-once = Create exactly once
tour-once-text = No answer came? Repeat the request with the same `Idempotency-Key` within 24 hours: there is one post, and one answer.
tour-token = Replace the edit token
tour-token-text = Lost it, or somebody saw it? Your API key gives the post a new one; the old one is dead at once.
tour-delete = Delete
tour-delete-text = Whoever asks for the post from then on is told that it is gone.

rule-errors = Errors
rule-errors-text = `application/problem+json` (RFC 9457), with a `code` for programs. Codes that belong to a parameter stand with it.
rule-methods = Methods
rule-methods-text = `HEAD` works wherever `GET` does; `OPTIONS` answers with `Allow`.
rule-cors = Scripts of other sites may use the API (CORS).
rule-bodies = Bodies
rule-bodies-text = One JSON object of at most { $max } bytes, with the fields that are listed and no others.
rule-queries = Queries
rule-queries-text = Parameters that are not listed are passed over.
rule-rates = Rates
rule-rates-text = Beyond these, 429 with `Retry-After` in seconds:
rate-creations = creating, for each key { $times }/{ $period }
rate-key-requests = asking for keys, for each client { $times }/{ $period }
rate-wrong-credentials = wrong keys and tokens, for each client { $times }/{ $period }

op-createPost = Creates a post; with an `Idempotency-Key`, only once.
op-listPosts = Lists posts, newest first. A page past the end has no posts.
op-readPost = Reads a post.
op-updatePost = Changes the fields of a post that are sent, and keeps the others. `null` or an empty string clears all but `body`; what else a read returns is passed over.
op-patchPost = Does what `PUT` does; takes `application/merge-patch+json` (RFC 7396) too.
op-deletePost = Deletes a post. From then on its addresses answer 410.
op-replaceEditToken = Gives a post a new edit token, for whoever has the old one or created the post. The old one is dead at once.
op-issueKey = Issues an API key, if the host gives them out on request. The body may be left out.
op-readKey = Shows what is known of the API key.
op-revokeKey = Revokes the API key that the request carries, from the next request on.
op-openapi = Describes this API in OpenAPI 3.1.
op-health = Whether the service can work: its store answers.

param-X-Api-Key = Your API key.
param-X-Edit-Token = The edit token of the post.
param-token = The edit token, where it is not in `X-Edit-Token`.
param-id = The post: 10 lowercase consonants.
param-page = The page’s number; 1 if left out.
param-per_page = Posts on a page, 1 to 50; 20 if left out.
param-tag = Only posts that carry this tag, normalised as a post’s tags are; empty for all.
param-include = `body`: the posts with `body` and `html`.
param-Idempotency-Key = 1 to 255 visible ASCII characters of your choice. A repetition with the same API key, idempotency key and body creates nothing and is answered as the first request was.
param-If-None-Match = Entity tags or `*`: where one of them is current, 304 on a read and 412 on a write.
param-If-Modified-Since = A date: 304 where nothing was changed since; for lists, ignored.
param-If-Match = Entity tags or `*`: 412 where none of them is current.
param-If-Unmodified-Since = A date: 412 where something was changed since.

field-title = One line; empty means none.
field-body = Markdown: CommonMark with tables, strikethrough and task lists. Not blank, no U+0000; kept byte for byte.
field-tags = Separated by commas, or an array. Normalised: trimmed, without leading `#`, Unicode NFC, lowercase, single spaces; empty ones and duplicates are dropped.
field-focus_keyword = What the post is to be found by: one line; empty means none.
field-label = What the key’s holder calls it: one line.
field-id = 10 lowercase consonants.
field-url = The public address of the post.
field-html = The body as sanitised HTML. Lists have it, and `body`, with `include=body`.
field-excerpt = The beginning of the body as plain text: at most 200 characters, ending in `…` when cut.
field-created_at = RFC 3339, UTC, milliseconds.
field-updated_at = RFC 3339, UTC, milliseconds; grows strictly with each accepted change.

page-post = A post for people; with `.md`, its Markdown.
page-edit = Where whoever has the edit token edits the post.
page-feeds = The latest 50 posts as feeds; those of a tag with `?tag=`.
page-sitemap = The site map: all posts.
