# The texts of the pages in English. Text between backticks is shown as code on the pages that support it.

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
home-start = Get a key
home-all = All posts
home-count = { $count ->
    [one] One post
   *[other] { $count } posts
  }
home-empty = There are no posts here yet.
home-past-the-end = This page doesn’t exist. The last page is { $last }.
page-newer = Newer posts
page-older = Older posts
page-last = Go to the last page
page-of = Page { $page } of { $last }

## A post

task-done = Done
task-open = Not done
post-changed = Updated
post-tags = Tags
post-more = More posts
post-source = Source (Markdown)

## API keys

keys-title = Get an API key
keys-lead = Your programs need a key to publish here.
keys-label = What is the key for?
keys-label-hint = Optional: a name to recognise the key by.
keys-ask = Get a key
keys-secret = Anyone who has the key can publish with it. Store it where you store passwords.
keys-closed = This service does not issue API keys on request. Ask its operator for one.
keys-issued = Your API key
keys-once = This key is shown only once.
keys-keep = Copy it now, and store it where you store passwords.
keys-try = Publish your first post
keys-paste = Paste this into a terminal with a Unix shell (Linux, macOS, WSL, Git Bash). It already contains your key:
keys-answer = The response contains the address of your post (`url`) and the secret address where you can edit or delete it (`edit_url`).
keys-more = Full API reference
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
edit-faults = Nothing has been saved yet. Please correct:
edit-secret = Anyone who has the address of this page can edit and delete the post. Don’t share it.
preview-title = Preview
preview-faults = Correct this first to see a preview:

conflict-title = Someone else changed this post while you were editing
conflict-lead = Another version was saved after you opened this page. Neither version is lost. A field that you did not change shows the published text. Differences are marked.
conflict-published = Published version
conflict-typed = Your version, not saved
conflict-choose = The form below contains your version. Copy into it what you need from the published version. “Save” then replaces the published version. Or:
conflict-discard = discard my version

delete-title = Delete the post
delete-lead = Readers who open its address will see that it was deleted. You can’t undo this.
delete-confirm = Yes, delete this post for good
delete-now = Delete
delete-unconfirmed = Nothing was deleted. Tick the box first.
delete-overtaken = Nothing was deleted: the post was changed after you opened this page. Read it again, then decide.
deleted-title = The post was deleted
deleted-lead = Readers who open its address now see that it was deleted.

advice-title = Help people find this post
advice-done = Done:
advice-todo = To do:
advice-faults = Correct the fields that are not valid to see advice here.
advice-no-keyword = enter a focus keyword to get advice here.
advice-title-met = the title contains the focus keyword.
advice-title-todo = put the focus keyword in the title.
advice-title-missing = give the post a title that contains the focus keyword.
advice-opening-met = the first paragraph contains the focus keyword.
advice-opening-todo = use the focus keyword in the first paragraph.
advice-headings-met = a heading contains the focus keyword.
advice-headings-todo = use the focus keyword in one of the headings.
advice-headings-missing = divide this long text with headings (lines that begin with ##), and use the focus keyword in one of them.
advice-headings-not-needed = a text this short needs no headings.
advice-description-met = the description (the beginning of the text) has a good length and contains the focus keyword.
advice-description-short = write a longer beginning. Search engines show it as the description. It has { $characters ->
    [one] one character
   *[other] { $characters } characters
  }; aim for at least { $least }.
advice-description-todo = use the focus keyword within the first { $shown } characters of the text. Search engines show them as the description.
advice-frequency-met = the text uses the focus keyword { $times ->
    [one] once
   *[other] { $times } times
  }, which suits its length.
advice-frequency-low = { $times ->
    [0] the text never uses the focus keyword. Use it at least
    [one] the text uses the focus keyword once. For its length, use it at least
   *[other] the text uses the focus keyword { $times } times. For its length, use it at least
  } { $least ->
    [one] once
   *[other] { $least } times
  }.
advice-frequency-high = the text uses the focus keyword { $times } times. For its length, { $most } times are enough. Use other words in some places.

## Invalid fields

fault-required = This field is required.
fault-blank = This can’t be empty. Write some text.
fault-wrong_type = This has the wrong type.
fault-unknown_field = This field does not exist.
fault-too_long = At most { $max } characters. Shorten this.
fault-too_many = At most { $max } items. Remove some.
fault-control_character = This contains an invisible character, such as a tab or a line break. Remove it.
fault-bidi_override = This contains a character that overrides the direction of text. Remove it.
fault-nul = This contains the character U+0000. Remove it.
fault-comma = A tag can’t contain a comma.
fault-too_complex = This would become too large as HTML. Use less nesting or smaller tables.

## Errors and how to fix them

errors-title = Errors
errors-lead = Every error is sent as `application/problem+json` (RFC 9457). Its `code` is one of those below. Its `type` links to this page. Its `detail` explains in English what went wrong.
errors-description = Every error of the API of { $name }: its code, its status, and how to fix it.
errors-example = An example:
problem-home = Latest posts
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
help-invalid_json = Send one JSON object in UTF-8. No name may appear twice in an object.
problem-invalid_parameter = A query parameter is not valid
help-invalid_parameter = Check the query string in the address, or the fields of the form. The detail names the invalid part.
problem-invalid_header = A header is not valid
help-invalid_header = The detail names the header. Send it once, in the form that its standard defines.
problem-conflicting_edit_tokens = Two different edit tokens were sent
help-conflicting_edit_tokens = Send one edit token, either in the header X-Edit-Token or in the parameter token.
problem-invalid_idempotency_key = The idempotency key is not valid
help-invalid_idempotency_key = Send the header Idempotency-Key once, with 1 to 255 visible ASCII characters. A random UUID works well.
problem-missing_api_key = An API key is required
help-missing_api_key = Send your API key in the header X-Api-Key. If you have none, see the page “Get an API key” or ask the operator of this service.
problem-invalid_api_key = The API key is not valid
help-invalid_api_key = Check that you copied the whole key. If it was revoked, get a new one.
problem-missing_edit_token = The post's edit token is required
help-missing_edit_token = Send the post’s edit_token in the header X-Edit-Token. The response to the post’s creation contains it. The API key that created the post can replace it.
problem-invalid_edit_token = The edit token is not valid for this post
help-invalid_edit_token = Use this post’s current token. If it was lost, the API key that created the post can replace it.
problem-not_the_creator = Another API key created this post
help-not_the_creator = Use the API key that created the post, or the post’s edit token.
problem-key_requests_closed = This service does not issue API keys on request
help-key_requests_closed = Ask the operator of this service for a key.
problem-cross_site = The request was sent from another site
help-cross_site = Send forms from their page on this site, and request keys from this site or from a program. If you did: over plain HTTP, browsers do not say which site a form comes from. Use HTTPS.
problem-not_found = There is nothing at this address
help-not_found = Check that the address is complete. You may find what you are looking for among the latest posts.
problem-method_not_allowed = This address does not allow the method
help-method_not_allowed = Use one of the methods in the header Allow.
problem-edit_token_replaced = The edit token of the created post was replaced
help-edit_token_replaced = The post exists. Use its new edit token, or create another post with another idempotency key.
problem-gone = The post was deleted
help-gone = Its author deleted it. Read the latest posts.
problem-precondition_failed = The post has changed since you read it
help-precondition_failed = Read the post again, apply your change to the new version, and send the new ETag in If-Match.
problem-body_too_large = The request body is too large
help-body_too_large = Send less. A request body may have at most 1 MiB, unless this service sets another limit.
problem-unsupported_media_type = The media type of the body is not supported
help-unsupported_media_type = Send uncompressed JSON in UTF-8, with Content-Type: application/json.
problem-invalid_post = The post is not valid
help-invalid_post = Correct the fields listed in errors. Each entry says what is wrong.
problem-idempotency_key_reused = The idempotency key was used for another request
help-idempotency_key_reused = Send exactly the same body again, or use a new idempotency key for a new post.
problem-too_many_requests = Too many requests
help-too_many_requests = You sent too many requests in a short time. The header Retry-After says how many seconds to wait.
problem-store_unavailable = The service is briefly unavailable
help-store_unavailable = This is not your fault. Try again in a moment.

## The docs. Text between backticks is code. openapi.json also uses the messages op-, param- and field-.

docs-title = How the API works
docs-description = Publish and change short posts on { $name } from programs, with curl commands to paste.
docs-lead = Publish short posts in Markdown from programs, as JSON over HTTP. Reading needs no key.
docs-tour = A tour with curl
docs-tour-lead = Paste the blocks into one bash terminal, one after another. The arrow shows the status of each response. Everything that you publish is public.
docs-operations = Operations
docs-signature = How to read this: credential · parameters · JSON fields → status, fields + headers. | means “or”.
docs-common = Almost everywhere:
docs-parameters = Parameters and headers
docs-fields = Fields (≤ characters)
size = { $mebibytes } MiB
size-bytes = { $bytes } bytes
docs-needed = Required.
docs-pages = Pages and feeds

tour-key = Get a key
tour-key-text = You need an API key to publish. It is shown only once; the variable `KEY` stores it for the next steps. With a browser:
tour-key-own = You need an API key to publish. Replace the dots with yours. With a browser:
tour-create = Publish
tour-create-text = The response contains the post’s address and its edit token. The token is shown only once: store it.
tour-read = Read
tour-read-text = As JSON that includes the HTML, and as the Markdown that you sent.
tour-list = List
tour-list-text = Newest first. The header `Link` contains the addresses of the other pages.
tour-change = Change
tour-change-text = Omitted fields stay as they are; `null` clears a field.
tour-seen = Change only the version you read
tour-seen-text = `ETag` identifies the version that you read. With `If-None-Match`, a read returns 304 if there is no newer version. With `If-Match`, a change is made only to that version: the second request fails because the first one changed the post.
tour-once = Create exactly once
tour-once-text = No response? Repeat the request with the same `Idempotency-Key` within 24 hours. This creates one post, and you get the same response.
tour-token = Replace the edit token
tour-token-text = Lost it, or did someone see it? Your API key gets a new one; the old one stops working at once.
tour-delete = Delete
tour-delete-text = From then on, the address of the post says that it was deleted.

rule-errors = Errors
rule-errors-text = `application/problem+json` (RFC 9457), with a `code` for programs. Errors of one parameter are listed with that parameter.
rule-methods = Methods
rule-methods-text = `HEAD` works wherever `GET` does. `OPTIONS` returns `Allow`.
rule-cors = Scripts on other sites may use the API (CORS).
rule-bodies = Bodies
rule-bodies-text = One JSON object of at most { $max }, with no other fields than those listed.
rule-queries = Queries
rule-queries-text = Unknown parameters are ignored.
rule-rates = Rate limits
rule-rates-text = Above these, the response is 429 with `Retry-After` in seconds:
rate = { $amount } { $seconds ->
    [1] a second
    [60] a minute
    [3600] an hour
    [86400] a day
   *[other] in { $seconds } seconds
  }
rate-burst = { rate }, at most { $burst } at once
rate-creations = creating posts, per key:
rate-key-requests = requesting keys, per client:
rate-wrong-credentials = wrong keys and tokens, per client:
rate-changes = changing a post:
rate-previews = previews, per client:
rate-stored-bytes = stored text, per key:

op-createPost = Creates a post; with an `Idempotency-Key`, only once.
op-listPosts = Lists posts, newest first. A page after the last one has no posts.
op-readPost = Reads a post.
op-updatePost = Changes the fields that you send. Omitted fields stay as they are. `null` or an empty string clears any field but `body`. Read-only fields are ignored.
op-patchPost = `PATCH` and `PUT` do the same. `PATCH` also accepts `application/merge-patch+json` (RFC 7396).
op-deletePost = Deletes a post. From then on its addresses return 410.
op-replaceEditToken = Gives the post a new edit token. You need the old token or the API key that created the post. The old token stops working at once.
op-issueKey = Issues an API key, if this service issues keys on request. The body is optional.
op-readKey = Returns what is stored about the API key.
op-revokeKey = Revokes the API key in the request. It stops working with the next request.
op-openapi = Returns the OpenAPI 3.1 description of this API.
op-live = Checks that the process answers. Does not ask the store.
op-ready = Checks that the store answers, within 2 seconds. Shows the state of each replica of the database, if there are any.
op-health = Same as `/readyz`.
op-options = Lists the methods of this path, and answers CORS preflights.

tag-Posts = Posts: list, create, read, update and delete them.
tag-Keys = API keys, which authorise creating posts.
tag-Service = The service itself: its description and its health.

param-X-Api-Key = Your API key.
param-X-Edit-Token = The edit token of the post.
param-token = The edit token, if not in `X-Edit-Token`.
param-id = The post: 10 lowercase consonants.
param-page = The page number. Default: 1.
param-per_page = Posts per page, 1 to 50. Default: 20.
param-tag = Only posts with this tag, normalised like the tags of posts. Empty: all posts.
param-include = `body` adds `body` and `html` to each post. The list has 2 MiB of these at most. In the posts after that, both are `null`: read these posts one by one.
param-Idempotency-Key = 1 to 255 visible ASCII characters of your choice. Repeating the request with the same API key, idempotency key and body creates nothing and returns the first response.
param-If-None-Match = Entity tags or `*`. If one of them is current: 304 on a read, 412 on a write.
param-If-Modified-Since = A date. If nothing has changed since: 304. Ignored for lists.
param-If-Match = Entity tags or `*`. If none of them is current: 412.
param-If-Unmodified-Since = A date. If the post has changed since: 412.

field-title = One line. Without a visible character: none.
field-body = Markdown: CommonMark with tables, strikethrough and task lists. Not blank, no U+0000; stored byte for byte.
field-tags = Separated by commas, or an array. Normalised: trimmed, without leading `#`, Unicode NFC, lowercase, single spaces, no empty ones, no duplicates.
field-focus_keyword = The word or phrase that people would search for to find the post. One line. Empty means none.
field-label = Your name for the key. One line.
field-id = 10 lowercase consonants.
field-url = The public address of the post.
field-html = The body as safe HTML, at most 1 MiB. In lists only with `include=body`, and `null` where it does not fit, like `body`.
field-excerpt = The beginning of the body as plain text: at most 200 characters, ending in `…` if cut.
field-created_at = RFC 3339, UTC, milliseconds.
field-updated_at = RFC 3339, UTC, milliseconds; later with every accepted change.

page-post = The page of a post; with `.md`, its Markdown.
page-edit = The edit form. You need the edit token.
page-feeds = The latest 50 posts as feeds; with `?tag=`, the posts with that tag.
page-sitemap = The sitemap: all posts.
