# The texts of the reference: operations (op-), parameters and headers of requests (param-), and fields (field-).
#
# Each text is in English, as in api/openapi.json, and below it in the other languages, by their tags. It is one line of
# CommonMark: text between backticks is code.

op-createPost = Creates a post; with an `Idempotency-Key`, only once.
    .fr = Crée un billet ; avec un `Idempotency-Key`, une seule fois.
op-listPosts = Lists the public posts, the latest published first. A page after the last one has no posts.
    .fr = Liste les billets publics, les derniers publiés d’abord. Après la dernière page, la liste est vide.
op-readPost = Reads a post. A draft is found only with its edit token or an API key of its owner.
    .fr = Lit un billet. Un brouillon demande son jeton de modification ou une clé du propriétaire.
op-updatePost = Changes the fields that you send. Omitted fields stay as they are. `null` or an empty string clears any field but `body` and `visibility`. Read-only fields are ignored.
    .fr = Modifie les champs envoyés ; `null` ou une chaîne vide en efface un, sauf `body` et `visibility`. Les champs en lecture seule sont ignorés.
op-patchPost = `PATCH` does the same, also with `application/merge-patch+json` (RFC 7396).
    .fr = `PATCH` fait la même chose, aussi avec `application/merge-patch+json` (RFC 7396).
op-deletePost = Deletes a post. From then on its addresses return 410.
    .fr = Supprime un billet. Ses adresses renvoient ensuite 410.
op-replaceEditToken = Gives the post a new edit token. You need the old token or an API key of the post’s owner. The old token stops working at once.
    .fr = Remplace le jeton de modification. Il faut l’ancien, qui cesse aussitôt de fonctionner, ou une clé du propriétaire.
op-issueKey = Issues an API key, if this service issues keys on request. The body is optional.
    .fr = Délivre une clé d’API, si ce service en délivre sur demande. Le corps est facultatif.
op-listOwnPosts = Lists all posts of the key’s owner, drafts and unlisted ones too, the latest created first.
    .fr = Liste tous les billets du propriétaire de la clé, brouillons compris, les derniers créés d’abord.
op-readKey = Returns what is stored about the API key.
    .fr = Renvoie ce qui est enregistré sur la clé d’API.
op-revokeKey = Revokes the API key in the request. It stops working with the next request.
    .fr = Révoque la clé d’API, qui cesse aussitôt de fonctionner.
op-openapi = Returns the OpenAPI 3.1 description of this API.
    .fr = Renvoie la description OpenAPI 3.1 de cette API.
op-live = Checks that the process responds. Does not ask the store.
    .fr = Vérifie que le processus répond. N’interroge pas le stockage.
op-ready = Checks that the store responds, within 2 seconds. Shows the state of each replica of the database, if there are any.
    .fr = Vérifie en 2 secondes au plus que le stockage répond. Montre l’état des réplicas, s’il y en a.
op-health = Same as `/readyz`.
    .fr = Comme `/readyz`.

param-X-Api-Key = Your API key. Or send `Authorization: Bearer` and the key.
    .fr = Votre clé d’API. Ou envoyez `Authorization: Bearer` et la clé.
param-X-Edit-Token = The edit token of the post.
    .fr = Le jeton de modification du billet.
param-token = The edit token, if not in `X-Edit-Token`.
    .fr = Le jeton de modification, s’il n’est pas dans `X-Edit-Token`.
param-id = The post: 10 lowercase consonants.
    .fr = Le billet : 10 consonnes minuscules.
param-page = The page number. Default: 1.
    .fr = Le numéro de la page. Par défaut : 1.
param-per_page = Posts per page, 1 to 50. Default: 20.
    .fr = Billets par page, de 1 à 50. Par défaut : 20.
param-tag = Only posts with this tag. Empty: all.
    .fr = Seulement les billets avec cette étiquette. Vide : tous.
param-from = Only posts published from then on (RFC 3339).
    .fr = Seulement les billets publiés dès lors (RFC 3339).
param-before = Only posts published before then (RFC 3339).
    .fr = Seulement les billets publiés avant (RFC 3339).
param-include = `body` adds `body` and `html` to each post, up to 2 MiB in all; after that, both are `null`.
    .fr = `body` ajoute `body` et `html` à chaque billet, jusqu’à 2 Mio en tout ; ensuite, les deux valent `null`.
param-Idempotency-Key = 1 to 255 visible ASCII characters of your choice. Repeating the request with the same keys and body returns the first response.
    .fr = 1 à 255 caractères ASCII visibles, à votre choix. Répéter la requête avec les mêmes clés et le même corps renvoie la première réponse.
param-If-None-Match = Entity tags or `*`. If one of them is current: 304 on a read, 412 on a write.
    .fr = Des étiquettes d’entité ou `*`. Si l’une est actuelle : 304 en lecture, 412 en écriture.
param-If-Modified-Since = A date. If nothing has changed since: 304. Ignored for lists.
    .fr = Une date. Si rien n’a changé depuis : 304. Ignorée pour les listes.
param-If-Match = Entity tags or `*`. If none of them is current: 412.
    .fr = Des étiquettes d’entité ou `*`. Si aucune n’est actuelle : 412.
param-If-Unmodified-Since = A date. If the post has changed since: 412.
    .fr = Une date. Si le billet a changé depuis : 412.

field-title = One line. Without a visible character: none.
    .fr = Une ligne. Sans caractère visible : aucun.
field-body = Markdown: CommonMark with tables, strikethrough, task lists, footnotes, callouts, and bare addresses as links. Not blank, no U+0000; stored byte for byte.
    .fr = Markdown : CommonMark avec tableaux, texte barré, listes de tâches, notes, encadrés, et les adresses nues comme liens. Ni blanc, ni U+0000 ; conservé à l’octet près.
field-tags = Separated by commas, or an array. Normalised: without leading `#`, Unicode NFC, lowercase, single spaces, no empty ones, no duplicates.
    .fr = Séparées par des virgules, ou un tableau. Normalisées : sans `#` devant, Unicode NFC, minuscules, espaces simples, sans vides ni doublons.
field-focus_keyword = What people would search for to find the post. One line. Empty means none.
    .fr = Ce que l’on chercherait pour trouver le billet. Une ligne. Vide : aucun.
field-author = Who it is by, as readers are shown it. One line. Without a visible character: none.
    .fr = Qui l’a écrit, tel que le voient les lecteurs. Une ligne. Sans caractère visible : aucun.
field-language = A language tag (BCP 47, RFC 5646) of at most 35 characters, stored in its canonical case. Empty means none.
    .fr = Une étiquette de langue (BCP 47), 35 caractères au plus, gardée dans sa casse canonique. Vide : aucune.
field-visibility = Who can find and read it. `public` (the default): everyone. `unlisted`: everyone who has the address. `draft`: requests with the edit token or a key of the owner.
    .fr = Qui le trouve et le lit. `public` (par défaut) : tous. `unlisted` : qui a l’adresse. `draft` : qui a le jeton de modification ou une clé du propriétaire.
field-published_at = When the post first became public, else `null`.
    .fr = Quand il est devenu public pour la première fois, sinon `null`.
field-label = Your name for the key. One line.
    .fr = Le nom que vous donnez à la clé. Une ligne.
field-id = 10 lowercase consonants.
    .fr = 10 consonnes minuscules.
field-url = The public address of the post.
    .fr = L’adresse publique du billet.
field-html = The body as safe HTML, at most 1 MiB. In lists, like `body`, with `include=body` if it fits.
    .fr = Le corps en HTML sûr, 1 Mio au plus. Dans les listes, comme `body`, avec `include=body` s’il y tient.
field-excerpt = The beginning of the body as plain text: at most 200 characters.
    .fr = Le début du corps en texte brut : 200 caractères au plus.
field-created_at = RFC 3339, UTC, milliseconds.
    .fr = RFC 3339, UTC, millisecondes.
field-updated_at = RFC 3339, UTC, milliseconds; later with every change.
    .fr = RFC 3339, UTC, millisecondes ; plus tard à chaque modification.
