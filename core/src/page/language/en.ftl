# The texts of the pages in English. Text between backticks is shown as code on the pages that support it.

language-name = English
direction = ltr

## The frame

skip = Skip to the content
nav-site = Site
nav-languages = Languages
nav-pages = Pages
nav-write = Write
nav-keys = API keys
nav-docs = API
nav-follow = Follow
nav-contact = Contact

month = { $month ->
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
day = { $day } { month }
untitled = Untitled
copy = Copy
copy-code = Copy code
copy-done = Copied
copy-key = Copy key
copy-command = Copy command
copy-address = Copy address
copy-link = Copy link
copy-private = Copy private link
share = Share
at-most = At most { $max } characters.

## Lists of posts

home-title = Latest posts
home-tagged = Posts tagged #{ $tag }
home-description = Short posts, newest first, on { $name }.
home-tagged-description = Posts tagged #{ $tag } on { $name }, newest first.
home-by-description = Posts by { $author } on { $name }, newest first.
home-lead = A place for short posts. Write them here, or publish them from your programs.
home-write = Write a post
home-all = All posts
home-count = { $count ->
    [one] One post
   *[other] { $count } posts
  }
home-empty = Nothing has been published here yet.
home-first = Write the first post
home-none-in-month = No post is of this month.
home-months = By month
home-none-tagged = No post has this tag.
home-none-by = This author has published nothing yet.
home-past-the-end = This page doesn’t exist. The last page is { $last }.
page-newer = Newer posts
page-older = Older posts
page-last = Go to the last page
page-of = Page { $page } of { $last }

## Searches

search = Search
search-words = Words to search for
search-here = In these posts
search-about = Search the posts on { $name }.
search-title = Search: { $words }
search-everywhere = Search all posts
search-most = These are the latest { $count } posts with these words. There may be older ones: add a word to find them.
search-incomplete = Some older posts can’t be found yet: they are still being indexed.
search-none = No post has all of these words. Search for fewer words, or for how a word begins: three letters are enough.
search-no-word = There is no word in this search. Type letters or digits.

## Tags

tags-title = Tags
tags-description = All tags of the posts on { $name }, and how many posts have each.
tags-most = These are the { $most } tags with the most posts.
tags-order = Order
tags-by-name = By name
tags-by-posts = By number of posts
tags-empty = No post has a tag yet.

## Following the site

follow-title = Follow new posts
follow-description = How to follow the posts on { $name } with a feed reader.
follow-lead = A feed reader shows you new posts as soon as they appear, without an account and without your email address.
follow-how = Copy this address into your feed reader:
follow-which = Other format:
follow-all = Follow all posts instead
follow-tag = To follow only the posts with one tag, add the tag to the address:
follow-this = Follow this tag

## llms.txt, for programs that read

llms-default = A place for short posts.
llms-about = This site publishes short posts in Markdown. Each address under “Latest posts” is the Markdown source of a post; without “.md” it is the web page.
llms-list = All posts, as JSON
llms-list-note = in pages, newest first; with the parameter tag, those with one tag
llms-api = How to use this site from programs
llms-openapi-note = the description of the API, in OpenAPI 3.1
llms-docs-note = the API explained, with commands to paste
llms-feeds = Feeds

## A post

task-done = Done
task-open = Not done
heading-link = Link to this section
footnotes = Footnotes
footnote = Footnote
footnote-back = Back to the text
table = Table
post-changed = Updated
post-tags = More posts with
post-more = All posts
post-source = Source (Markdown)
post-draft = This is a draft. Only you can see it.
post-older = Older post
post-newer = Newer post
post-follow = Follow new posts
post-report = Report this post
post-minutes = { $minutes } min read

## API keys

keys-title = Get an API key
keys-lead = A program needs a key to publish.
keys-label = What is the key for?
keys-label-hint = Optional: a name to recognise the key by.
keys-ask = Get a key
keys-secret = Anyone who has the key can publish with it. Store it where you store passwords.
keys-closed = The operator of this site gives out the keys. Ask them for one.
keys-signed-out = Sign in to this site to get a key.
keys-closed-write = Write a post with your key
keys-issued = Your API key
keys-once = This key is shown only once.
keys-store = Copy it now, and store it where you store passwords.
keys-try = Publish your first post
keys-paste = Paste this into a terminal with a Unix shell (Linux, macOS, WSL, Git Bash). It already contains your key:
keys-response = The response contains the address of your post (`url`) and the secret address where you can edit or delete it (`edit_url`).
keys-more = Full API reference
example-title = Hello
example-body = My first *post*.

## The edit page

label-title = Title
label-body = Text
hint-write = Write…
hint-body = Format with the buttons, or with Markdown. A final \ breaks the line.
label-tags = Tags
hint-tags = Separate tags with commas: up to { $tags } tags, up to { $max } characters each.
label-author = Author
hint-author = Who it is by, as readers see it.
label-language = Language
language-chosen = Language:
hint-language = What language is it in?
settings-title = More settings
label-visibility = Who can read it
hint-visibility = Unlisted: only people with the link. Draft: only you.
label-publish_at = Publish later
hint-publish_at = Until then, it is a draft.
label-expires_at = Delete on
hint-expires_at = Nothing restores it.
time-zone = Time zone:
due-publish_at = This draft will be published:
cancel-publish_at = Do not publish it
due-expires_at = This post will be deleted:
cancel-expires_at = Do not delete it
label-api_key = API key
hint-api_key = You need a key to publish here. If you have none, ask the operator of this site. The post will belong to the owner of the key.
sign-in = Sign in
hint-api_key-signed_out = Sign in to this site to publish. Or use a key: the post will belong to its owner.
visibility-public = Public
visibility-unlisted = Unlisted
visibility-draft = Draft
label-focus_keyword = Search phrase (optional)
hint-focus_keyword = What would people search for to find this post? With a search phrase, you get advice on being found.
characters-left = Characters left: { $count }
characters-over = Characters too many: { $count }
view-label = View
view-write = Write
view-preview = Preview
tools = Format
tool-bold = Bold
tool-italic = Italic
tool-link = Link
tool-heading = Heading
tool-list = List
tool-quote = Quotation
tool-code = Code
paste-long = That was too long to convert. It was pasted as plain text.
tool-picture = Picture
picture-address = Address of the picture
picture-where = Files can’t be stored here. Put the picture on the web first, for example on a site for photos. Its address begins with https://.
picture-text = What it shows
picture-insert = Insert
picture-cancel = Cancel
paste-file = Files can’t be stored here. A picture needs an address: the button “Picture” says more.
faults-title = There is a problem
state-fault = Error: { $page }
state-saved = Saved: { $page }
state-published = Published: { $page }
state-conflict = Conflict: { $page }

drafts-title = Unfinished text in this browser
draft-words = { $count ->
    [one] One word
   *[other] { $count } words
  }
draft-unstored = This browser can’t store your text. Keep a copy of it.
sending = Sending…
saved-at = Saved { $time }
unsent-offline = Not saved: the service does not respond. Your text is safe. Try again.
unsent-refused = Not saved: the service refused it. Your text is safe.
preview-paused = The preview is paused.
draft-restore = Continue writing
draft-discard = Discard it
draft-discarded = Discarded.
draft-undo = Undo
draft-restored = What you typed is back.
draft-stored = Stored in this browser, { $time }

write-title = Write a post
write-publish = Publish
write-draft = Save draft

published-public = Published: { $name }
published-unlisted = Published for people with the link: { $name }
published-draft = Draft saved: { $name }
published-address = The address of the post:
published-keep = Keep your private link
published-store = Only with this link can you edit the post in a browser. Don’t share it: anyone who has it can edit and delete the post.
keep-email = Email it to me
keep-download = Download
mine-title = Your posts in this browser
mine-edit = Edit
mine-forget = Forget
mine-remembered = This browser remembers the link. On a shared computer, let it forget:
mine-remember = Remember the posts that I publish here
mine-shared = Anyone who uses this browser can then edit them. On a shared computer, switch this off.

edit-title = Edit the post
edit-draft = Edit the draft
edit-saved = Saved.
edit-held = It waits for the review of this site. Until it is published, it is a draft.
edit-read = Read the post
edit-save = Save
edit-secret = Anyone who has the address of this page can edit and delete the post. Don’t share it.
preview-title = Preview
preview-empty = Your post appears here.
preview-updated = The preview is up to date.
preview-faults = Correct the problems to see a preview.

refused-title = Not saved
refused-safe = Your text is safe.
refused-too_many_requests = That was too fast for this server.
refused-store_unavailable = The service does not respond.
refused-not_found = This private link does not work any more. You can publish the text as a new post.
refused-gone = The post was deleted. You can publish the text as a new post.
refused-refused = This site does not accept it.
refused-not_the_owner = You are not signed in as the user who opened this page. Sign in as that user in another tab, then send it again.
refused-body_too_large = { reader-body_too_large }

merged-title = Saved, with changes made elsewhere
merged-lead = Other parts of this post were changed while you were editing, by someone else or in another window. Both changes are saved. Their changes are marked.
merged-typed = What you typed
merged-saved = What is saved now

conflict-title = This post was changed while you were editing
conflict-lead = The same lines of this post were changed after you opened it, by someone else or in another window. Neither version is lost. All other changes are in the form below. The words that differ are marked.
conflict-published = Published version
conflict-typed = Your version, not saved
conflict-choose = The form below contains your version. Copy into it what you need from the published version. “Save” then replaces the published version. Or:
conflict-discard = discard my version

renew-title = Get a new private link
renew-lead = If someone else saw the address of this page, get a new one. The old one then stops working.
renew-for-others = With a private link, someone else can edit and delete the post. A new link ends the one before.
renewed-title = Here is your new private link
renewed-lead = The old link does not work any more.

delete-title = Delete the post
delete-lead = Readers who open its address will see that it was deleted. You can’t undo this.
delete-confirm = Yes, delete this post for good
delete-now = Delete
delete-unconfirmed = Nothing was deleted. Tick the box first.
delete-overtaken = Nothing was deleted: the post was changed after you opened this page. Read it again, then decide.
deleted-title = The post was deleted
deleted-lead = Readers who open its address now see that it was deleted.

advice-links = These links lead nowhere, since no heading has their address: { $links }. Write the words of the heading in lower case with hyphens between them, such as #first-steps.
advice-title = Help people find this post
advice-done = Done:
advice-todo = To do:
advice-title-met = the title contains the search phrase.
advice-title-todo = put the search phrase in the title.
advice-title-missing = give the post a title that contains the search phrase.
advice-opening-met = the first paragraph contains the search phrase.
advice-opening-todo = use the search phrase in the first paragraph.
advice-headings-met = a heading contains the search phrase.
advice-headings-todo = use the search phrase in one of the headings.
advice-headings-missing = divide this long text with headings (lines that begin with ##), and use the search phrase in one of them.
advice-headings-not-needed = a text this short needs no headings.
advice-description-met = the description (the beginning of the text) has a good length and contains the search phrase.
advice-description-short = write a longer beginning. Search engines show it as the description. It has { $characters ->
    [one] one character
   *[other] { $characters } characters
  }; aim for at least { $least }.
advice-description-todo = use the search phrase within the first { $shown } characters of the text. Search engines show them as the description.
advice-frequency-met = the text uses the search phrase { $times ->
    [one] once
   *[other] { $times } times
  }, which suits its length.
advice-frequency-low = { $times ->
    [0] the text never uses the search phrase. Use it at least
    [one] the text uses the search phrase once. For its length, use it at least
   *[other] the text uses the search phrase { $times } times. For its length, use it at least
  } { $least ->
    [one] once
   *[other] { $least } times
  }.
advice-frequency-high = the text uses the search phrase { $times } times. For its length, { $most } times are enough. Use other words in some places.

## Invalid fields

fault-required = { fault-field } is required.
fault-blank = Enter some text.
fault-wrong_type = { fault-field } has the wrong type.
fault-unknown_field = This field does not exist.
fault-too_long = { fault-field } must be { $max } characters or fewer; { $field ->
    [tags] one
   *[other] it
  } has { $count }.
fault-too_many = There must be { $max } tags or fewer.
fault-control_character = { fault-field } must not contain invisible characters, such as tabs or line breaks.
fault-bidi_override = { fault-field } must not contain characters that override the direction of text.
fault-nul = { fault-field } must not contain the character U+0000.
fault-comma = A tag must not contain a comma.
fault-unknown_value = { $field ->
    [publish_at] Choose a time in the future, at most 10 years ahead.
    [expires_at] Choose a time that is at least a minute and at most 10 years ahead.
   *[visibility] Choose who can read the post.
  }
fault-conflicts = Only a draft can be published later. Make it a draft, or remove the time.
fault-not_a_language = { fault-field } must be one of the list, or a code such as en or pt-BR.
fault-too_complex = { fault-field } would become too large as HTML. Use less nesting or smaller tables.
fault-refused = { $words }
fault-key_missing = Enter your API key.
fault-key_wrong = This API key is mistyped, unknown or revoked. Check that you copied all of it.
fault-field = { $field ->
    [title] Title
    [tags] Each tag
    [focus_keyword] Search phrase
    [author] Author
    [language] Language
    [publish_at] The time
    [expires_at] The time
    [label] The name of the key
   *[body] Text
  }

## Errors and how to fix them

errors-title = Errors
errors-lead = Every error is sent as `application/problem+json` (RFC 9457). Its `code` is one of those below. Its `type` links to this page. Its `detail` explains in English what went wrong.
errors-description = Every error of the API of { $name }: its code, its status, and how to fix it.
errors-example = An example:
problem-home = Read the latest posts
problem-again = Try again
problem-wait-soon = Try again in a few seconds.
problem-wait = Try again in { $minutes ->
    [one] one minute
   *[other] { $minutes } minutes
  }.
problem-wait-seconds = Try again in { $seconds ->
    [one] one second
   *[other] { $seconds } seconds
  }.

reader-private_link-title = This edit link does not work
reader-private_link = It may have been replaced by a new one. Ask for the new link, or use the address that you were given last.
reader-not_found = Check that the address is complete and spelled correctly.
reader-gone-title = This post was deleted
reader-gone = Its author or the operator of this site deleted it for good.
reader-not_the_owner = You are signed in, but not as the owner of this post. With its private link you can edit it.
reader-invalid_parameter-title = This address contains something that is not valid
reader-invalid_parameter = Check the part of the address after the question mark. If you sent a form, go back and send it again.
reader-search-title = This search can’t be made
reader-search = Search for at most 16 words, in at most 200 characters.
reader-invalid_header = Your browser sent something that this service does not understand. Try again in a new window.
reader-method_not_allowed-title = This page can’t be opened like that
reader-cross_site-title = This form was sent from another page
reader-body_too_large-title = That is too much for one post
reader-body_too_large = Shorten it, or publish it in parts.
reader-unsupported_media_type-title = This page takes forms only
reader-unsupported_media_type = Go back, and send the form of the page.
reader-too_many_requests-title = Too many requests in a short time
reader-unsaved = Nothing was saved. What you typed is still in the form: go back to it.
reader-method_not_allowed = Go back, and open the page again.
reader-cross_site = Open the form on this site, and send it from there. If you did, tell the operator: this site must use HTTPS for forms.
reader-too_many_requests = This server limits how many it accepts from each visitor.
reader-store_unavailable = { refused-store_unavailable }

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
problem-search_not_available = This site has no search
help-search_not_available = Leave out the parameter q, and list posts by tag or by time.
problem-missing_api_key = An API key is required
help-missing_api_key = Send your API key in the header X-Api-Key. If you have none, see the page “Get an API key” or ask the operator of this service.
problem-invalid_api_key = The API key is not valid
help-invalid_api_key = Check that you copied the whole key. If it was revoked, get a new one.
problem-missing_edit_token = The post's edit token is required
help-missing_edit_token = Send the post’s edit_token in the header X-Edit-Token. The response to the post’s creation contains it. Or send an API key of the post’s owner in X-Api-Key.
problem-invalid_edit_token = The edit token is not valid for this post
help-invalid_edit_token = Use this post’s current token. If it was lost, an API key of the post’s owner can change the post, and replace the token.
problem-not_the_owner = The post belongs to another owner
help-not_the_owner = Use an API key of the post’s owner, or the post’s edit token.
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
problem-refused = The post does not follow the rules of this site
help-refused = Change what errors names. The site decides what it publishes.
problem-too_many_requests = Too many requests
help-too_many_requests = You sent too many requests in a short time. The header Retry-After says how many seconds to wait.
problem-store_unavailable = The service is briefly unavailable
help-store_unavailable = Nothing was changed. Try again in a few seconds.

## The docs. Text between backticks is code. openapi.json also uses the messages op-, param- and field-.

docs-title = How the API works
docs-description = Publish and change short posts on { $name } from programs, with commands to paste for curl.
docs-lead = Publish short posts in Markdown from programs, as JSON over HTTP. Reading needs no key.
docs-tour = A tour
docs-tour-lead = The arrow shows the status of each response. A post is public unless its visibility says otherwise.
tour-lead = Paste the blocks into one bash terminal, one after another.
docs-operations = Operations
docs-rules = Rules for all requests
reference-title = API reference
reference-in = In
reference-out = Out
reference-or = { "" } or { "" }
reference-parameters = Parameters:
reference-fields = JSON:
reference-headers = Headers:
reference-description = Each operation, parameter and field of the API of { $name }.
docs-common = Almost everywhere:
docs-parameters = Parameters and headers
docs-fields = Fields (≤ characters)
size = { $mebibytes } MiB
size-bytes = { $bytes } bytes
docs-needed = Required.
docs-pages = Pages and feeds

tour-key = Get a key
tour-key-text = You need an API key to publish. It is shown only once; a variable stores it for the next steps. With a browser:
tour-key-own = You need an API key to publish. Replace the dots with yours. With a browser:
tour-create = Publish
tour-create-text = The response contains the post’s address and its edit token, which is shown only once: store it.
tour-read = Read
tour-read-text = As JSON that includes the HTML, and as the Markdown that you sent.
tour-list = List
tour-list-text = Newest first. The header `Link` contains the addresses of the other pages.
tour-change = Change
tour-change-text = Omitted fields stay as they are; `null` clears a field.
tour-seen = Change only the version you read
tour-seen-text = `ETag` identifies the version that you read. With `If-None-Match`, a read returns 304 if there is nothing newer. With `If-Match`, only that version is changed: the second request fails, because the first one changed the post.
tour-once = Create exactly once
tour-once-text = No response? Repeat the request with the same `Idempotency-Key` within 24 hours: one post is created, and the response is the same.
tour-token = Replace the edit token
tour-token-text = Lost it, or did someone see it? Your API key gets a new one.
tour-delete = Delete
tour-delete-text = From then on, the address of the post says that it was deleted.

rule-errors = Errors
rule-errors-text = `application/problem+json` (RFC 9457), with a `code` for programs.
rule-methods = Methods
rule-methods-text = `HEAD` works like `GET`. `OPTIONS` returns `Allow`.
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
rate-creations = creating posts, per key; on /write without a key, per client:
rate-key-requests = requesting keys, and posts on /write without a key, per client:
rate-wrong-credentials = wrong keys and tokens, per client:
rate-changes = changing a post:
rate-previews = previews, and opened edit pages, each per client:
rate-searches = searches, per client:
rate-stored-bytes = stored text, per key:

page-post = The page of a post; with `.md`, or for clients that prefer `text/markdown`, its Markdown.
page-write = Write a post in the browser.
page-edit = The edit form. You need the edit token.
page-feeds = The latest 50 posts as feeds; with `?tag=`, the posts with that tag.
page-finding = All tags, how to follow this site, and the site for programs that read.
page-search = The search, and its description for browsers.
page-sitemap = The sitemap: all posts.
