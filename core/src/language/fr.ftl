# Les textes des pages en français. Le texte entre accents graves est affiché comme du code sur les pages qui le permettent.

language-name = Français

## Le cadre

skip = Aller au contenu
nav-site = Site
nav-languages = Langues
nav-pages = Pages
nav-keys = Obtenir une clé
nav-docs = API
nav-feed = Flux

day = { $day ->
    [1] 1er
   *[other] { $day }
  } { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
  } { $year }
untitled = Sans titre
copy = Copier
copy-done = Copié
at-most = { $max } caractères au plus.

## Listes de billets

home-title = Derniers billets
home-tagged = Billets avec l’étiquette #{ $tag }
home-description = Des billets courts, les plus récents d’abord, sur { $name }.
home-lead = Des billets courts, publiés depuis vos programmes : une clé, une requête, et votre billet paraît ici.
home-start = Obtenir une clé
home-all = Tous les billets
home-count = { $count ->
    [one] { $count } billet
   *[other] { $count } billets
  }
home-empty = Il n’y a pas encore de billets ici.
home-past-the-end = Cette page n’existe pas. La dernière page est la page { $last }.
page-newer = Billets plus récents
page-older = Billets plus anciens
page-last = Aller à la dernière page
page-of = Page { $page } sur { $last }

## Un billet

task-done = Fait
task-open = À faire
post-changed = Mis à jour le
post-tags = Étiquettes
post-more = Autres billets
post-source = Source (Markdown)

## Clés d’API

keys-title = Obtenir une clé d’API
keys-lead = Vos programmes ont besoin d’une clé pour publier ici.
keys-label = À quoi servira la clé ?
keys-label-hint = Facultatif : un nom pour reconnaître la clé.
keys-ask = Obtenir une clé
keys-secret = Quiconque a la clé peut publier avec elle. Conservez-la là où vous conservez vos mots de passe.
keys-closed = Ce service ne délivre pas de clés d’API sur demande. Demandez-en une à son exploitant.
keys-issued = Votre clé d’API
keys-once = Cette clé n’est affichée qu’une seule fois.
keys-keep = Copiez-la maintenant, et conservez-la là où vous conservez vos mots de passe.
keys-try = Publiez votre premier billet
keys-paste = Collez ceci dans un terminal avec un shell Unix (Linux, macOS, WSL, Git Bash). Votre clé s’y trouve déjà :
keys-answer = La réponse contient l’adresse de votre billet (`url`) et l’adresse secrète où vous pouvez le modifier ou le supprimer (`edit_url`).
keys-more = Référence complète de l’API
example-title = Bonjour
example-body = Mon premier *billet*.

## La page de modification

label-title = Titre
label-body = Texte
hint-body = En Markdown : **gras**, *italique*, # titre, - liste, [lien](https://…).
label-tags = Étiquettes
hint-tags = Séparez-les par des virgules : { $tags } étiquettes au plus, de { $max } caractères au plus.
label-focus_keyword = Mot-clé principal
hint-focus_keyword = Le mot ou l’expression que l’on chercherait pour trouver ce billet.
edit-title = Modifier le billet
edit-error = Erreur
edit-saved = Enregistré.
edit-read = Lire le billet
edit-save = Enregistrer
edit-preview = Aperçu
edit-faults = Rien n’a encore été enregistré. Corrigez d’abord :
edit-secret = Quiconque a l’adresse de cette page peut modifier et supprimer le billet. Ne la partagez pas.
preview-title = Aperçu
preview-faults = Pour voir l’aperçu, corrigez d’abord :

conflict-title = Quelqu’un d’autre a modifié ce billet pendant que vous l’écriviez
conflict-lead = Une autre version a été enregistrée après que vous avez ouvert cette page. Aucune des deux n’est perdue. Un champ que vous n’avez pas modifié montre le texte publié. Les différences sont marquées.
conflict-published = Version publiée
conflict-typed = Votre version, non enregistrée
conflict-choose = Le formulaire ci-dessous contient votre version. Reprenez-y ce qui vous manque de la version publiée. « Enregistrer » remplace ensuite la version publiée. Ou bien :
conflict-discard = abandonner ma version

delete-title = Supprimer le billet
delete-lead = Les lecteurs qui ouvriront son adresse verront qu’il a été supprimé. C’est irréversible.
delete-confirm = Oui, supprimer définitivement ce billet
delete-now = Supprimer
delete-unconfirmed = Rien n’a été supprimé. Cochez d’abord la case.
delete-overtaken = Rien n’a été supprimé : le billet a été modifié après que vous avez ouvert cette page. Relisez-le, puis décidez.
deleted-title = Le billet a été supprimé
deleted-lead = Les lecteurs qui ouvrent son adresse voient maintenant qu’il a été supprimé.

advice-title = Aidez les lecteurs à trouver ce billet
advice-done = Fait :
advice-todo = À faire :
advice-faults = Corrigez les champs non valides pour voir des conseils ici.
advice-no-keyword = indiquez un mot-clé principal pour obtenir des conseils ici.
advice-title-met = le titre contient le mot-clé.
advice-title-todo = mettez le mot-clé dans le titre.
advice-title-missing = donnez au billet un titre qui contient le mot-clé.
advice-opening-met = le premier paragraphe contient le mot-clé.
advice-opening-todo = employez le mot-clé dans le premier paragraphe.
advice-headings-met = un intertitre contient le mot-clé.
advice-headings-todo = employez le mot-clé dans l’un des intertitres.
advice-headings-missing = divisez ce long texte par des intertitres (des lignes qui commencent par ##), et employez le mot-clé dans l’un d’eux.
advice-headings-not-needed = un texte si court n’a pas besoin d’intertitres.
advice-description-met = la description (le début du texte) a une bonne longueur et contient le mot-clé.
advice-description-short = dites-en plus au début : les moteurs de recherche l’affichent comme description, qui compte { $characters ->
    [one] { $characters } caractère
   *[other] { $characters } caractères
  } ; visez-en au moins { $least }.
advice-description-todo = employez le mot-clé dans les { $shown } premiers caractères du texte : les moteurs de recherche les affichent comme description.
advice-frequency-met = le texte emploie le mot-clé { $times } fois, ce qui convient à sa longueur.
advice-frequency-low = { $times ->
    [0] le texte n’emploie pas le mot-clé : employez-le
   *[other] le texte emploie le mot-clé { $times } fois : pour sa longueur, employez-le
  } au moins { $least ->
    [one] une fois
   *[other] { $least } fois
  }.
advice-frequency-high = le texte emploie le mot-clé { $times } fois : pour sa longueur, { $most } fois suffisent. Remplacez quelques occurrences par d’autres mots.

## Champs non valides

fault-required = Ce champ est obligatoire.
fault-blank = Ce champ ne peut pas être vide. Écrivez un texte.
fault-wrong_type = Ce champ n’est pas du bon type.
fault-unknown_field = Ce champ n’existe pas.
fault-too_long = { $max } caractères au plus : raccourcissez-le.
fault-too_many = { $max } éléments au plus : retirez-en.
fault-control_character = Ce champ contient un caractère invisible, comme une tabulation ou un saut de ligne. Enlevez-le.
fault-bidi_override = Ce champ contient un caractère qui change la direction du texte. Enlevez-le.
fault-nul = Ce champ contient le caractère U+0000. Enlevez-le.
fault-comma = Une étiquette ne peut pas contenir de virgule.
fault-too_complex = Ce champ deviendrait trop volumineux en HTML. Imbriquez moins d’éléments ou réduisez les tableaux.

## Les erreurs et comment les corriger

errors-title = Erreurs
errors-lead = Chaque erreur est envoyée en `application/problem+json` (RFC 9457). Son `code` est l’un de ceux qui suivent. Son `type` mène à cette page. Son `detail` explique en anglais ce qui s’est passé.
errors-description = Chaque erreur de l’API de { $name } : son code, son statut, et comment la corriger.
errors-example = Un exemple :
problem-home = Derniers billets
problem-docs = Comment fonctionne l’API
problem-wait = Réessayez dans { $minutes ->
    [one] une minute
   *[other] { $minutes } minutes
  }.
problem-wait-seconds = Réessayez dans { $seconds ->
    [one] une seconde
   *[other] { $seconds } secondes
  }.

problem-invalid_json = Le corps n’est pas un objet JSON
help-invalid_json = Envoyez un objet JSON en UTF-8. Aucun nom ne peut figurer deux fois dans un objet.
problem-invalid_parameter = Un paramètre de la requête n’est pas valide
help-invalid_parameter = Vérifiez les paramètres dans l’adresse, ou les champs du formulaire. Le détail indique la partie non valide.
problem-invalid_header = Un en-tête n’est pas valide
help-invalid_header = Le détail indique l’en-tête. Envoyez-le une seule fois, sous la forme que définit sa norme.
problem-conflicting_edit_tokens = Deux jetons de modification différents ont été envoyés
help-conflicting_edit_tokens = Envoyez un seul jeton de modification, dans l’en-tête X-Edit-Token ou dans le paramètre token.
problem-invalid_idempotency_key = La clé d’idempotence n’est pas valide
help-invalid_idempotency_key = Envoyez une seule fois l’en-tête Idempotency-Key, avec 1 à 255 caractères ASCII visibles. Un UUID aléatoire convient bien.
problem-missing_api_key = Une clé d’API est nécessaire
help-missing_api_key = Envoyez votre clé d’API dans l’en-tête X-Api-Key. Si vous n’en avez pas, voyez la page « Obtenir une clé d’API » ou demandez à l’exploitant de ce service.
problem-invalid_api_key = La clé d’API n’est pas valide
help-invalid_api_key = Vérifiez que vous avez copié la clé en entier. Si elle a été révoquée, demandez-en une nouvelle.
problem-missing_edit_token = Le jeton de modification du billet est nécessaire
help-missing_edit_token = Envoyez l’edit_token du billet dans l’en-tête X-Edit-Token. La réponse à la création du billet le contient. La clé d’API qui a créé le billet peut le remplacer.
problem-invalid_edit_token = Le jeton de modification n’est pas valide pour ce billet
help-invalid_edit_token = Employez le jeton actuel de ce billet. S’il est perdu, la clé d’API qui a créé le billet peut le remplacer.
problem-not_the_creator = Une autre clé d’API a créé ce billet
help-not_the_creator = Employez la clé d’API qui a créé le billet, ou le jeton de modification du billet.
problem-key_requests_closed = Ce service ne délivre pas de clés d’API sur demande
help-key_requests_closed = Demandez une clé à l’exploitant de ce service.
problem-cross_site = La requête a été envoyée depuis un autre site
help-cross_site = Envoyez un formulaire depuis sa page sur ce site, et demandez une clé depuis ce site ou un programme. Si vous l’avez fait : en HTTP simple, les navigateurs ne disent pas de quel site vient un formulaire. Employez HTTPS.
problem-not_found = Il n’y a rien à cette adresse
help-not_found = Vérifiez que l’adresse est complète. Vous trouverez peut-être ce que vous cherchez parmi les derniers billets.
problem-method_not_allowed = Cette adresse n’autorise pas la méthode
help-method_not_allowed = Employez l’une des méthodes de l’en-tête Allow.
problem-edit_token_replaced = Le jeton de modification du billet créé a été remplacé
help-edit_token_replaced = Le billet existe. Employez son nouveau jeton de modification, ou créez un autre billet avec une autre clé d’idempotence.
problem-gone = Le billet a été supprimé
help-gone = Son auteur l’a supprimé. Lisez les derniers billets.
problem-precondition_failed = Le billet a changé depuis que vous l’avez lu
help-precondition_failed = Relisez le billet, appliquez votre modification à la nouvelle version, et envoyez le nouvel ETag dans If-Match.
problem-body_too_large = Le corps de la requête est trop volumineux
help-body_too_large = Envoyez moins. Le corps d’une requête fait 1 Mio au plus, sauf si ce service fixe une autre limite.
problem-unsupported_media_type = Le type de média du corps n’est pas pris en charge
help-unsupported_media_type = Envoyez du JSON non compressé en UTF-8, avec Content-Type: application/json.
problem-invalid_post = Le billet n’est pas valide
help-invalid_post = Corrigez les champs cités dans errors. Chaque entrée dit ce qui ne va pas.
problem-idempotency_key_reused = La clé d’idempotence a servi pour une autre requête
help-idempotency_key_reused = Envoyez de nouveau exactement le même corps, ou employez une nouvelle clé d’idempotence pour un nouveau billet.
problem-too_many_requests = Trop de requêtes
help-too_many_requests = Vous avez envoyé trop de requêtes en peu de temps. L’en-tête Retry-After dit combien de secondes attendre.
problem-store_unavailable = Le service est brièvement indisponible
help-store_unavailable = Vous n’y êtes pour rien. Réessayez dans un instant.

## La documentation. Le texte entre accents graves est du code. openapi.json emploie aussi, en anglais, les messages op-, param- et field-.

docs-title = Comment fonctionne l’API
docs-description = Publier et modifier des billets courts sur { $name } depuis vos programmes, avec des commandes curl à coller.
docs-lead = Publiez des billets courts en Markdown depuis vos programmes, en JSON sur HTTP. La lecture ne demande pas de clé.
docs-tour = Visite guidée avec curl
docs-tour-lead = Collez les blocs l’un après l’autre dans un même terminal bash. La flèche montre le statut de chaque réponse. Tout ce que vous publiez est public.
docs-operations = Opérations
docs-signature = Comment lire ceci : accès · paramètres · champs JSON → statut, champs + en-têtes. | signifie « ou ».
docs-common = Presque partout :
docs-parameters = Paramètres et en-têtes
docs-fields = Champs (≤ caractères)
size = { $mebibytes } Mio
size-bytes = { $bytes } octets
docs-needed = Obligatoire.
docs-pages = Pages et flux

tour-key = Obtenir une clé
tour-key-text = Il faut une clé d’API pour publier. Elle est affichée une seule fois ; la variable `KEY` la conserve pour la suite. Avec un navigateur :
tour-key-own = Il faut une clé d’API pour publier. Mettez la vôtre à la place des points. Avec un navigateur :
tour-create = Publier
tour-create-text = La réponse contient l’adresse du billet et son jeton de modification. Le jeton est affiché une seule fois : conservez-le.
tour-read = Lire
tour-read-text = En JSON, avec le HTML, et sous la forme du Markdown que vous avez envoyé.
tour-list = Lister
tour-list-text = Les plus récents d’abord. L’en-tête `Link` contient les adresses des autres pages.
tour-change = Modifier
tour-change-text = Les champs omis ne changent pas ; `null` efface un champ.
tour-seen = Ne modifier que la version lue
tour-seen-text = `ETag` identifie la version lue. Avec `If-None-Match`, une lecture renvoie 304 s’il n’y a pas de version plus récente. Avec `If-Match`, seule cette version est modifiée : la seconde requête échoue, car la première a modifié le billet.
tour-once = Créer une seule fois
tour-once-text = Pas de réponse ? Répétez la requête avec le même `Idempotency-Key` dans les 24 heures. Un seul billet est créé, et vous recevez la même réponse.
tour-token = Remplacer le jeton de modification
tour-token-text = Perdu, ou vu par quelqu’un ? Votre clé d’API en obtient un nouveau ; l’ancien cesse aussitôt de fonctionner.
tour-delete = Supprimer
tour-delete-text = L’adresse du billet dit désormais qu’il a été supprimé.

rule-errors = Erreurs
rule-errors-text = `application/problem+json` (RFC 9457), avec un `code` pour les programmes. Les erreurs propres à un paramètre figurent avec lui.
rule-methods = Méthodes
rule-methods-text = `HEAD` fonctionne partout où `GET` fonctionne. `OPTIONS` renvoie `Allow`.
rule-cors = Les scripts d’autres sites peuvent employer l’API (CORS).
rule-bodies = Corps
rule-bodies-text = Un objet JSON de { $max } au plus, sans autres champs que ceux donnés ici.
rule-queries = Paramètres
rule-queries-text = Les paramètres inconnus sont ignorés.
rule-rates = Limites
rule-rates-text = Au-delà, la réponse est 429 avec `Retry-After` en secondes :
rate = { $amount } { $seconds ->
    [1] par seconde
    [60] par minute
    [3600] par heure
    [86400] par jour
   *[other] en { $seconds } secondes
  }
rate-burst = { rate }, { $burst } au plus d’un coup
rate-creations = créer des billets, par clé :
rate-key-requests = demander des clés, par client :
rate-wrong-credentials = clés et jetons invalides, par client :
rate-changes = modifier un billet :
rate-previews = aperçus, par client :
rate-stored-bytes = texte enregistré, par clé :

op-createPost = Crée un billet ; avec un `Idempotency-Key`, une seule fois.
op-listPosts = Liste les billets, les plus récents d’abord. Une page après la dernière n’en contient pas.
op-readPost = Lit un billet.
op-updatePost = Modifie les champs envoyés. Les champs omis ne changent pas. `null` ou une chaîne vide efface tout champ sauf `body`. Les champs en lecture seule sont ignorés.
op-patchPost = `PATCH` et `PUT` font la même chose. `PATCH` accepte aussi `application/merge-patch+json` (RFC 7396).
op-deletePost = Supprime un billet. Ses adresses renvoient ensuite 410.
op-replaceEditToken = Donne au billet un nouveau jeton de modification. Il faut l’ancien jeton ou la clé d’API qui a créé le billet. L’ancien cesse aussitôt de fonctionner.
op-issueKey = Délivre une clé d’API, si ce service en délivre sur demande. Le corps est facultatif.
op-readKey = Renvoie ce qui est enregistré sur la clé d’API.
op-revokeKey = Révoque la clé d’API de la requête. Elle cesse de fonctionner dès la requête suivante.
op-openapi = Renvoie la description OpenAPI 3.1 de cette API.
op-live = Vérifie que le processus répond. N’interroge pas le stockage.
op-ready = Vérifie en 2 secondes au plus que le stockage répond. Montre l’état de chaque réplica de la base de données, s’il y en a.
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
param-tag = Seulement les billets avec cette étiquette, normalisée comme les leurs. Vide : tous.
param-include = `body` ajoute `body` et `html` à chaque billet. La liste en contient 2 Mio au plus. Dans les billets qui suivent, les deux valent `null` : lisez ces billets un par un.
param-Idempotency-Key = 1 à 255 caractères ASCII visibles, à votre choix. Répéter la requête avec la même clé d’API, la même clé d’idempotence et le même corps ne crée rien et renvoie la première réponse.
param-If-None-Match = Des étiquettes d’entité ou `*`. Si l’une est actuelle : 304 en lecture, 412 en écriture.
param-If-Modified-Since = Une date. Si rien n’a changé depuis : 304. Ignorée pour les listes.
param-If-Match = Des étiquettes d’entité ou `*`. Si aucune n’est actuelle : 412.
param-If-Unmodified-Since = Une date. Si le billet a changé depuis : 412.

field-title = Une ligne. Sans caractère visible : aucun.
field-body = Markdown : CommonMark avec tableaux, texte barré et listes de tâches. Ni blanc, ni U+0000 ; conservé à l’octet près.
field-tags = Séparées par des virgules, ou un tableau. Normalisées : sans espaces autour ni `#` devant, Unicode NFC, minuscules, espaces simples, sans vides ni doublons.
field-focus_keyword = Le mot ou l’expression que l’on chercherait pour trouver le billet. Une ligne. Vide : aucun.
field-label = Le nom que vous donnez à la clé. Une ligne.
field-id = 10 consonnes minuscules.
field-url = L’adresse publique du billet.
field-html = Le corps en HTML sûr, 1 Mio au plus. Dans les listes, seulement avec `include=body`, et `null` s’il n’y tient pas, comme `body`.
field-excerpt = Le début du corps en texte brut : 200 caractères au plus, `…` à la fin s’il est coupé.
field-created_at = RFC 3339, UTC, millisecondes.
field-updated_at = RFC 3339, UTC, millisecondes ; plus tard à chaque modification acceptée.

page-post = La page d’un billet ; avec `.md`, son Markdown.
page-edit = Le formulaire de modification. Il faut le jeton de modification.
page-feeds = Les 50 derniers billets ; avec `?tag=`, ceux de cette étiquette.
page-sitemap = Le plan du site : tous les billets.
