# The texts of the API in English: the descriptions in openapi.json, and the reference page. Each message is one
# line of CommonMark: text between backticks is code.

op-createPost = Creates a post; with an `Idempotency-Key`, only once.
op-listPosts = Lists the public posts, the latest published first. A page after the last one has no posts.
op-readPost = Reads a post. A draft is found only with its edit token or an API key of its owner.
op-updatePost = Changes the fields that you send. Omitted fields stay as they are. `null` or an empty string clears any field but `body` and `visibility`. Read-only fields are ignored.
op-patchPost = `PATCH` does the same, also with `application/merge-patch+json` (RFC 7396).
op-deletePost = Deletes a post. From then on its addresses return 410.
op-replaceEditToken = Gives the post a new edit token. You need the old token or an API key of the post’s owner. The old token stops working at once.
op-issueKey = Issues an API key, if this service issues keys on request. The body is optional.
op-listOwnPosts = Lists all posts of the key’s owner, drafts and unlisted ones too, the latest created first.
op-readKey = Returns what is stored about the API key.
op-revokeKey = Revokes the API key in the request. It stops working with the next request.
op-openapi = Returns the OpenAPI 3.1 description of this API.
op-live = Checks that the process responds. Does not ask the store.
op-ready = Checks that the store responds, within 2 seconds. Shows the state of each replica of the database, if there are any.
op-health = Same as `/readyz`.
op-options = Lists the methods of this path, and responds to CORS preflights.

tag-Posts = Posts: list, create, read, update and delete them.
tag-Keys = API keys, which authorise creating posts.
tag-Service = The service itself: its description and its health.

param-X-Api-Key = Your API key.
param-X-Edit-Token = The edit token of the post.
param-token = The edit token, if not in `X-Edit-Token`.
param-id = The post: 10 lowercase consonants.
param-page = The page number. Default: 1.
param-per_page = Posts per page, 1 to 50. Default: 20.
param-tag = Only posts with this tag. Empty: all.
param-include = `body` adds `body` and `html` to each post, 2 MiB in all at most; after that, both are `null`: read these posts one by one.
param-Idempotency-Key = 1 to 255 visible ASCII characters of your choice. Repeating the request with the same keys and body returns the first response.
param-If-None-Match = Entity tags or `*`. If one of them is current: 304 on a read, 412 on a write.
param-If-Modified-Since = A date. If nothing has changed since: 304. Ignored for lists.
param-If-Match = Entity tags or `*`. If none of them is current: 412.
param-If-Unmodified-Since = A date. If the post has changed since: 412.

field-title = One line. Without a visible character: none.
field-body = Markdown: CommonMark with tables, strikethrough, task lists, footnotes, and bare addresses as links. Not blank, no U+0000; stored byte for byte.
field-tags = Separated by commas, or an array. Normalised: without leading `#`, Unicode NFC, lowercase, single spaces, no empty ones, no duplicates.
field-focus_keyword = What people would search for to find the post. One line. Empty means none.
field-author = Who it is by, as readers are shown it. One line. Without a visible character: none.
field-language = A language tag (BCP 47, RFC 5646) of at most 35 characters, stored in its canonical case. Empty means none.
field-visibility = Who can find and read it. `public` (the default): everyone. `unlisted`: everyone who has the address. `draft`: requests with the edit token or a key of the owner.
field-published_at = When the post first became public, else `null`.
field-label = Your name for the key. One line.
field-id = 10 lowercase consonants.
field-url = The public address of the post.
field-html = The body as safe HTML, at most 1 MiB. In lists, like `body`, with `include=body` if it fits.
field-excerpt = The beginning of the body as plain text: at most 200 characters.
field-created_at = RFC 3339, UTC, milliseconds.
field-updated_at = RFC 3339, UTC, milliseconds; later with every change.
