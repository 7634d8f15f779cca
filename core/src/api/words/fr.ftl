# The texts of the API in French, for the reference page. Each message is one line of CommonMark: text between backticks
# is code.

op-createPost = Crée un billet ; avec un `Idempotency-Key`, une seule fois.
op-listPosts = Liste les billets publics, les derniers publiés d’abord. Après la dernière page, la liste est vide.
op-readPost = Lit un billet. Un brouillon demande son jeton de modification ou une clé du propriétaire.
op-updatePost = Modifie les champs envoyés ; `null` ou une chaîne vide en efface un, sauf `body` et `visibility`. Les champs en lecture seule sont ignorés.
op-patchPost = `PATCH` fait la même chose, aussi avec `application/merge-patch+json` (RFC 7396).
op-deletePost = Supprime un billet. Ses adresses renvoient ensuite 410.
op-replaceEditToken = Remplace le jeton de modification. Il faut l’ancien, qui cesse aussitôt de fonctionner, ou une clé du propriétaire.
op-issueKey = Délivre une clé d’API, si ce service en délivre sur demande. Le corps est facultatif.
op-listOwnPosts = Liste tous les billets du propriétaire de la clé, brouillons compris, les derniers créés d’abord.
op-readKey = Renvoie ce qui est enregistré sur la clé d’API.
op-revokeKey = Révoque la clé d’API, qui cesse aussitôt de fonctionner.
op-openapi = Renvoie la description OpenAPI 3.1 de cette API.
op-live = Vérifie que le processus répond. N’interroge pas le stockage.
op-ready = Vérifie en 2 secondes au plus que le stockage répond. Montre l’état des réplicas, s’il y en a.
op-health = Comme `/readyz`.
op-options = Liste les méthodes de ce chemin et répond aux requêtes préliminaires CORS.

tag-Posts = Les billets : les lister, les créer, les lire, les modifier et les supprimer.
tag-Keys = Les clés d’API, qui autorisent à créer des billets.
tag-Service = Le service lui-même : sa description et son état.

param-X-Api-Key = Votre clé d’API.
param-X-Edit-Token = Le jeton de modification du billet.
param-token = Le jeton de modification, s’il n’est pas dans `X-Edit-Token`.
param-id = Le billet : 10 consonnes minuscules.
param-page = Le numéro de la page. Par défaut : 1.
param-per_page = Billets par page, de 1 à 50. Par défaut : 20.
param-tag = Seulement les billets avec cette étiquette. Vide : tous.
param-include = `body` ajoute `body` et `html` à chaque billet, 2 Mio au plus en tout ; ensuite, les deux valent `null` : lisez ces billets un par un.
param-Idempotency-Key = 1 à 255 caractères ASCII visibles, à votre choix. Répéter la requête avec les mêmes clés et le même corps renvoie la première réponse.
param-If-None-Match = Des étiquettes d’entité ou `*`. Si l’une est actuelle : 304 en lecture, 412 en écriture.
param-If-Modified-Since = Une date. Si rien n’a changé depuis : 304. Ignorée pour les listes.
param-If-Match = Des étiquettes d’entité ou `*`. Si aucune n’est actuelle : 412.
param-If-Unmodified-Since = Une date. Si le billet a changé depuis : 412.

field-title = Une ligne. Sans caractère visible : aucun.
field-body = Markdown : CommonMark avec tableaux, texte barré, listes de tâches, notes, et les adresses nues comme liens. Ni blanc, ni U+0000 ; conservé à l’octet près.
field-tags = Séparées par des virgules, ou un tableau. Normalisées : sans `#` devant, Unicode NFC, minuscules, espaces simples, sans vides ni doublons.
field-focus_keyword = Ce que l’on chercherait pour trouver le billet. Une ligne. Vide : aucun.
field-author = Qui l’a écrit, tel que le voient les lecteurs. Une ligne. Sans caractère visible : aucun.
field-language = Une étiquette de langue (BCP 47), 35 caractères au plus, gardée dans sa casse canonique. Vide : aucune.
field-visibility = Qui le trouve et le lit. `public` (par défaut) : tous. `unlisted` : qui a l’adresse. `draft` : qui a le jeton de modification ou une clé du propriétaire.
field-published_at = Quand il est devenu public pour la première fois, sinon `null`.
field-label = Le nom que vous donnez à la clé. Une ligne.
field-id = 10 consonnes minuscules.
field-url = L’adresse publique du billet.
field-html = Le corps en HTML sûr, 1 Mio au plus. Dans les listes, comme `body`, avec `include=body` s’il y tient.
field-excerpt = Le début du corps en texte brut : 200 caractères au plus.
field-created_at = RFC 3339, UTC, millisecondes.
field-updated_at = RFC 3339, UTC, millisecondes ; plus tard à chaque modification.
