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
home-lead = Short posts, published from programs: get a key, send one request, and your post appears here.
home-start = Get a key and begin
home-all = All posts
home-count = { $count ->
    [one] One post
   *[other] { $count } posts
  }
home-empty = There are no posts here yet.
home-past-the-end = There is nothing on this page: the list ends before it.
page-newer = Newer posts
page-older = Older posts
page-last = Go to the last page
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
keys-lead = With an API key, your programs publish posts here. One click gets you one.
keys-label = What is the key for?
keys-label-hint = Optional: a name to recognise it by.
keys-ask = Get a key
keys-secret = Anyone who has the key can publish with it. Keep it where you keep passwords.
keys-closed = API keys are not given out here. Ask whoever runs this service for one.
keys-issued = Your API key
keys-once = This key is shown only once.
keys-keep = Copy it now, and keep it where you keep passwords.
keys-try = Publish your first post
keys-paste = Paste this into a terminal with a Unix shell (Linux, macOS, WSL, Git Bash). Your key is already in it:
keys-answer = The answer gives the address of your post as `url`, and as `edit_url` the secret address where you can edit or delete it.
keys-more = All that the API can do
example-title = Hello
example-body = My first *post*.

## The edit page

label-title = Title
label-body = Text
hint-body = In Markdown: **bold**, *italic*, # heading, - list, [link](https://…).
label-tags = Tags
hint-tags = Separate tags with commas: up to { $tags } tags, up to { $max } characters each.
label-focus_keyword = Focus keyword
hint-focus_keyword = The word or phrase that people would search for to find this post.
edit-title = Edit the post
edit-error = Error
edit-saved = Saved.
edit-read = Read the post
edit-save = Save
edit-preview = Preview
edit-faults = Nothing is saved yet. Please correct:
edit-secret = Anyone who has the address of this page can edit and delete the post: keep it secret.
preview-title = Preview
preview-faults = To see a preview, first correct:

conflict-title = The post was changed meanwhile
conflict-lead = Somebody saved another version after you opened this page. Nothing you wrote is lost, and nothing of the other version was overwritten. Fields that you had not touched show what is published now; what differs is marked.
conflict-published = Published version
conflict-typed = Your version, not saved
conflict-choose = The form below holds your version. Copy into it what you want to keep of the published one; “Save” then replaces what is published. Or:
conflict-discard = keep the published version and discard mine

delete-title = Delete the post
delete-lead = Anyone who opens its address will be told that it was deleted. This can’t be undone.
delete-confirm = Yes, delete this post for good
delete-now = Delete
delete-unconfirmed = Nothing was deleted. Tick the box first.
delete-overtaken = Nothing was deleted: the post was changed after you opened this page. Look at it as it is now, then decide again.
deleted-title = The post is deleted
deleted-lead = Anyone who opens its address is now told that it was deleted.

advice-title = Help people find this post
advice-done = Done:
advice-todo = To do:
advice-no-keyword = enter a focus keyword to get advice here.
advice-title-met = the title contains the focus keyword.
advice-title-todo = put the focus keyword in the title.
advice-title-missing = give the post a title that contains the focus keyword.
advice-opening-met = the first paragraph contains the focus keyword.
advice-opening-todo = use the focus keyword in the first paragraph.
advice-headings-met = a heading contains the focus keyword.
advice-headings-todo = use the focus keyword in one of the headings.
advice-headings-missing = divide this long text with headings (lines that begin with ##), and use the focus keyword in one.
advice-headings-not-needed = a text this short needs no headings.
advice-description-met = the description, which is how the text begins, has a good length and contains the focus keyword.
advice-description-short = say more at the beginning: search engines show it as the description, which has { $characters ->
    [one] one character
   *[other] { $characters } characters
  }; aim for at least { $least }.
advice-description-todo = use the focus keyword within the first { $shown } characters of the text: search engines show them as the description.
advice-frequency-met = the text uses the focus keyword { $times ->
    [one] once
   *[other] { $times } times
  }, which suits its length.
advice-frequency-low = { $times ->
    [0] the text never uses the focus keyword: use it at least
    [one] the text uses the focus keyword once: for its length, use it at least
   *[other] the text uses the focus keyword { $times } times: for its length, use it at least
  } { $least ->
    [one] once
   *[other] { $least } times
  }.
advice-frequency-high = the text uses the focus keyword { $times } times: for its length, { $most } times are enough. Replace some with other words.

## What can be wrong with a field

fault-required = This field is required.
fault-blank = Write some text: it can’t be empty.
fault-wrong_type = This has the wrong type.
fault-unknown_field = There is no such field.
fault-too_long = At most { $max } characters: shorten it.
fault-too_many = At most { $max }: remove some.
fault-control_character = This contains an invisible character, such as a tab or a line break. Remove it.
fault-bidi_override = This contains a character that overrides the direction of text. Remove it.
fault-nul = This contains the character U+0000. Remove it.
fault-comma = A tag can’t contain a comma.
fault-too_complex = As HTML, this would become too large. Use less nesting, or smaller tables.

## Problems, and what to do about them

errors-title = What can go wrong
errors-lead = Every error is sent as `application/problem+json` (RFC 9457). Its `code` is one of those below, its `type` leads to this page, and its `detail` explains in English what went wrong this time.
errors-description = Every error of the API of { $name }: its code, its status, and what to do about it.
errors-example = One of them, as it is sent:
problem-home = The latest posts
problem-docs = How the API works
problem-wait = Try again in { $minutes ->
    [one] one minute
   *[other] { $minutes } minutes
  }.
problem-wait-seconds = Try again in { $seconds ->
    [one] one second
   *[other] { $seconds } seconds
  }.

problem-invalid_json = The body is not a JSON object
help-invalid_json = Send one JSON object in UTF-8, with each name in it only once.
problem-invalid_parameter = A query parameter is not valid
help-invalid_parameter = Look at what follows the question mark in the address, or at what a form sent: the detail names the part that is wrong.
problem-invalid_header = A header is not valid
help-invalid_header = Send the header that the detail names once, in the form that its standard defines.
problem-conflicting_edit_tokens = Two different edit tokens were sent
help-conflicting_edit_tokens = Send the edit token in the header X-Edit-Token or as the parameter token, not a different one in each.
problem-invalid_idempotency_key = The idempotency key is not valid
help-invalid_idempotency_key = Send one header Idempotency-Key with 1 to 255 visible ASCII characters, such as a random UUID.
problem-missing_api_key = An API key is needed
help-missing_api_key = Send your API key in the header X-Api-Key. If you have none, see the page “Get an API key”, or ask whoever runs this service.
problem-invalid_api_key = The API key is not valid
help-invalid_api_key = Check that you copied the whole key. If it was revoked, get another one.
problem-missing_edit_token = The post's edit token is needed
help-missing_edit_token = Send the edit_token that came back when the post was created, in the header X-Edit-Token. Whoever created the post can get a new one with the API key used then.
problem-invalid_edit_token = The edit token is not this post's
help-invalid_edit_token = Use the token of this very post. If it was replaced or lost, whoever created the post can get a new one with the API key used then.
problem-not_the_creator = The API key did not create this post
help-not_the_creator = Use the API key that the post was created with, or the post’s edit token.
problem-key_requests_closed = API keys are not given out on request
help-key_requests_closed = Ask whoever runs this service for a key.
problem-cross_origin_form = The form was sent from another site
help-cross_origin_form = Open the page of the form itself, and send it from there. If you did: over plain http, browsers do not say where a form comes from; use https.
problem-not_found = There is nothing at this address
help-not_found = Check that the address is complete, to its last letter. Perhaps you’ll find what you are looking for among the latest posts.
problem-method_not_allowed = The method is not allowed here
help-method_not_allowed = Use one of the methods that the header Allow lists.
problem-edit_token_replaced = The edit token of this creation was replaced
help-edit_token_replaced = The post exists: use the token that replaced the first one, or create another post with another idempotency key.
problem-gone = The post was deleted
help-gone = It won’t come back. There are others among the latest posts.
problem-precondition_failed = The post was changed meanwhile
help-precondition_failed = Read the post again, apply your change to what it is now, and send the new ETag in If-Match.
problem-body_too_large = The request's body is too large
help-body_too_large = Send less: a request may have at most 1 MiB, unless this service says otherwise.
problem-unsupported_media_type = The body's media type is not supported
help-unsupported_media_type = Send JSON with Content-Type: application/json, in UTF-8 and not compressed.
problem-invalid_post = The post is not valid
help-invalid_post = Correct the fields listed in errors: each says what is wrong with it.
problem-idempotency_key_reused = The idempotency key was used for another body
help-idempotency_key_reused = Send exactly the same body again, or choose a new idempotency key for a new post.
problem-too_many_requests = Too many requests
help-too_many_requests = Too much was asked for in a short time: wait, then go on. Programs find the seconds to wait in the header Retry-After.
problem-store_unavailable = The store is not available
help-store_unavailable = This is not your fault. Try again in a moment.

## The docs. Text between backticks is code. What begins with op-, param- and field- is said by openapi.json too.

docs-title = How the API works
docs-description = Publish and change short posts on { $name } from programs, with curl commands to paste.
docs-lead = Short posts in Markdown, published from programs: JSON over HTTP. Reading needs no key.
docs-tour = A tour with curl
docs-tour-lead = Paste the blocks one after another into one bash terminal. The arrow shows the status of each answer. What you publish is for all to see.
docs-operations = Operations
docs-signature = How to read this: credential · parameters · JSON fields → status, fields + headers; | means “or”.
docs-common = Almost everywhere:
docs-parameters = Parameters and headers
docs-fields = Fields (≤ characters)
size = { $mebibytes } MiB
size-bytes = { $bytes } bytes
docs-needed = Required.
docs-pages = Pages and feeds

tour-key = Get a key
tour-key-text = Publishing needs an API key, shown only once; `KEY` keeps it for what follows. With a browser:
tour-key-own = Publishing needs an API key: put yours in place of the dots. With a browser:
tour-create = Publish
tour-create-text = The answer gives the post’s address, and its edit token, shown only once: keep it.
tour-read = Read
tour-read-text = As JSON with the HTML in it, and as the Markdown that was sent.
tour-list = List
tour-list-text = Newest first. The header `Link` leads to the other pages.
tour-change = Change
tour-change-text = What you leave out is kept; `null` clears a field.
tour-seen = Change only what you have seen
tour-seen-text = `ETag` names the state that you read. `If-None-Match` asks for a newer one: 304 if there is none. `If-Match` changes the post only if it is still in that state: the second request comes too late, because the first changed it.
tour-once = Create exactly once
tour-once-text = No answer came? Repeat the request with the same `Idempotency-Key` within 24 hours: there is only one post, and you get the same answer.
tour-token = Replace the edit token
tour-token-text = Lost it, or somebody saw it? Your API key gets the post a new one; the old one stops working at once.
tour-delete = Delete
tour-delete-text = Anyone who asks for the post from then on is told that it was deleted.

rule-errors = Errors
rule-errors-text = `application/problem+json` (RFC 9457), with a `code` for programs. Errors of one parameter are listed with that parameter.
rule-methods = Methods
rule-methods-text = `HEAD` works wherever `GET` does; `OPTIONS` answers with `Allow`.
rule-cors = Scripts of other sites may use the API (CORS).
rule-bodies = Bodies
rule-bodies-text = One JSON object of at most { $max }, with the fields that are listed and no others.
rule-queries = Queries
rule-queries-text = Parameters that are not listed are ignored.
rule-rates = Rate limits
rule-rates-text = Beyond these, 429 with `Retry-After` in seconds:
rate = { $times } { $seconds ->
    [1] a second
    [60] a minute
    [3600] an hour
    [86400] a day
   *[other] in { $seconds } seconds
  }, at most { $burst } at once
rate-creations = creating posts, for each key:
rate-key-requests = asking for keys, for each client:
rate-wrong-credentials = wrong keys and tokens, for each client:

op-createPost = Creates a post; with an `Idempotency-Key`, only once.
op-listPosts = Lists posts, newest first. A page past the end has no posts.
op-readPost = Reads a post.
op-updatePost = Changes the fields of a post that are sent, and keeps the others. `null` or an empty string clears any but `body`; other fields that a read returns are ignored.
op-patchPost = Does the same as `PUT`; takes `application/merge-patch+json` (RFC 7396) too.
op-deletePost = Deletes a post. From then on its addresses answer 410.
op-replaceEditToken = Gives a post a new edit token, for whoever has the old one or created the post. The old one stops working at once.
op-issueKey = Issues an API key, if this service gives them out on request. The body may be left out.
op-readKey = Shows what is known about the API key.
op-revokeKey = Revokes the API key that the request carries, from the next request on.
op-openapi = Describes this API in OpenAPI 3.1.
op-health = Tells whether the service works: whether its store answers. Shows how far behind the replicas of the database are, if there are any.
op-options = Lists the methods of this path, and answers CORS preflights.

tag-Posts = Posts: list, create, read, update and delete them.
tag-Keys = API keys, which authorise creating posts.
tag-Service = The service itself: its description and its health.

param-X-Api-Key = Your API key.
param-X-Edit-Token = The edit token of the post.
param-token = The edit token, if it is not in `X-Edit-Token`.
param-id = The post: 10 lowercase consonants.
param-page = The page’s number; 1 if left out.
param-per_page = Posts on a page, 1 to 50; 20 if left out.
param-tag = Only posts that carry this tag, normalised as a post’s tags are; empty: all.
param-include = `body` adds `body` and `html` to each post.
param-Idempotency-Key = 1 to 255 visible ASCII characters of your choice. A repetition with the same API key, idempotency key and body creates nothing and gets the answer of the first request.
param-If-None-Match = Entity tags or `*`: if one of them is current, 304 on a read and 412 on a write.
param-If-Modified-Since = A date: 304 if nothing has changed since; ignored for lists.
param-If-Match = Entity tags or `*`: 412 if none of them is current.
param-If-Unmodified-Since = A date: 412 if something has changed since.

field-title = One line; empty means none.
field-body = Markdown: CommonMark with tables, strikethrough and task lists. Not blank, no U+0000; kept byte for byte.
field-tags = Separated by commas, or an array. Normalised: trimmed, without leading `#`, Unicode NFC, lowercase, single spaces; empty ones and duplicates are dropped.
field-focus_keyword = The word or phrase that the post is to be found by: one line; empty means none.
field-label = Your name for the key: one line.
field-id = 10 lowercase consonants.
field-url = The public address of the post.
field-html = The body as sanitised HTML. Lists have it, and `body`, with `include=body`.
field-excerpt = The beginning of the body as plain text: at most 200 characters, ending in `…` when cut.
field-created_at = RFC 3339, UTC, milliseconds.
field-updated_at = RFC 3339, UTC, milliseconds; later with each accepted change.

page-post = A post for people; with `.md`, its Markdown.
page-edit = The edit form, for whoever has the edit token.
page-feeds = The latest 50 posts as feeds; those of a tag with `?tag=`.
page-sitemap = The site map: all posts.
