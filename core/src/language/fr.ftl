# Les pages en français. Ce qui est entre accents graves est du code, là où une page le montre ainsi.

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
home-start = Obtenir une clé et commencer
home-all = Tous les billets
home-count = { $count ->
    [one] { $count } billet
   *[other] { $count } billets
  }
home-empty = Il n’y a pas encore de billets ici.
home-past-the-end = Il n’y a rien sur cette page : la liste s’arrête avant.
page-newer = Billets plus récents
page-older = Billets plus anciens
page-last = Aller à la dernière page
page-of = Page { $page } sur { $last }

## Un billet

task-done = Fait
task-open = Pas fait
post-changed = modifié le
post-tags = Étiquettes
post-more = Autres billets
post-source = Source (Markdown)

## Clés d’API

keys-title = Obtenir une clé d’API
keys-lead = Avec une clé d’API, vos programmes publient des billets ici. Un clic suffit pour en obtenir une.
keys-label = À quoi servira la clé ?
keys-label-hint = Facultatif : un nom pour la reconnaître.
keys-ask = Obtenir une clé
keys-secret = Quiconque a la clé peut s’en servir pour publier. Gardez-la là où vous gardez vos mots de passe.
keys-closed = Ce service ne donne pas de clés d’API sur demande. Demandez-en une à la personne qui le gère.
keys-issued = Votre clé d’API
keys-once = Elle n’est affichée qu’une seule fois.
keys-keep = Copiez-la maintenant, et gardez-la là où vous gardez vos mots de passe.
keys-try = Publiez votre premier billet
keys-paste = Collez ceci dans un terminal avec un shell Unix (Linux, macOS, WSL, Git Bash). Votre clé s’y trouve déjà :
keys-answer = La réponse donne sous `url` l’adresse de votre billet, et sous `edit_url` l’adresse secrète à laquelle vous pouvez le modifier ou le supprimer.
keys-more = Tout ce que l’API sait faire
example-title = Bonjour
example-body = Mon premier *billet*.

## La page de modification

label-title = Titre
label-body = Texte
hint-body = En Markdown : **gras**, *italique*, # titre, - liste, [lien](https://…).
label-tags = Étiquettes
hint-tags = Séparez-les par des virgules : { $tags } au plus, { $max } caractères au plus chacune.
label-focus_keyword = Mot-clé principal
hint-focus_keyword = Ce que l’on chercherait pour trouver ce billet.
edit-title = Modifier le billet
edit-error = Erreur
edit-saved = Enregistré.
edit-read = Lire le billet
edit-save = Enregistrer
edit-preview = Aperçu
edit-faults = Rien n’est encore enregistré. Corrigez d’abord :
edit-secret = Quiconque a l’adresse de cette page peut modifier et supprimer le billet : gardez-la secrète.
preview-title = Aperçu
preview-faults = Pour voir l’aperçu, corrigez d’abord :

conflict-title = Le billet a été modifié entre-temps
conflict-lead = Quelqu’un a enregistré une autre version après que vous avez ouvert cette page. Rien de ce que vous avez écrit n’est perdu, et rien de l’autre version n’a été écrasé. Les champs que vous n’aviez pas modifiés montrent ce qui est publié maintenant ; les différences sont marquées.
conflict-published = Version publiée
conflict-typed = Votre version, non enregistrée
conflict-choose = Le formulaire ci-dessous contient votre version. Reprenez-y ce que vous voulez garder de la version publiée, puis enregistrez : votre version remplacera celle qui est publiée. Ou bien :
conflict-discard = garder la version publiée et abandonner la mienne

delete-title = Supprimer le billet
delete-lead = Quiconque ouvrira son adresse apprendra que le billet a été supprimé. C’est irréversible.
delete-confirm = Oui, supprimer ce billet pour de bon
delete-now = Supprimer
delete-unconfirmed = Rien n’a été supprimé. Cochez d’abord la case.
delete-overtaken = Rien n’a été supprimé : le billet a été modifié après que vous avez ouvert cette page. Regardez-le tel qu’il est maintenant, puis décidez à nouveau.
deleted-title = Le billet est supprimé
deleted-lead = Quiconque ouvre son adresse apprend désormais qu’il a été supprimé.

advice-title = Pour être trouvé
advice-done = Fait :
advice-todo = À faire :
advice-no-keyword = indiquez un mot-clé principal, et des conseils sur son emploi s’afficheront ici.
advice-title-met = le titre contient le mot-clé.
advice-title-todo = mettez le mot-clé dans le titre.
advice-title-missing = donnez au billet un titre qui contient le mot-clé.
advice-opening-met = le premier paragraphe contient le mot-clé.
advice-opening-todo = employez le mot-clé dans le premier paragraphe.
advice-headings-met = un intertitre contient le mot-clé.
advice-headings-todo = employez le mot-clé dans l’un des intertitres.
advice-headings-missing = structurez ce long texte par des intertitres (des lignes qui commencent par ##), dont l’un contient le mot-clé.
advice-headings-not-needed = un texte si court n’a pas besoin d’intertitres.
advice-description-met = la description, c’est-à-dire le début du texte, a une bonne longueur et contient le mot-clé.
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

## Ce qui peut clocher dans un champ

fault-required = Ce champ est obligatoire.
fault-blank = Écrivez un texte : il ne peut pas être vide.
fault-wrong_type = Ce champ n’est pas du bon type.
fault-unknown_field = Ce champ n’existe pas.
fault-too_long = { $max } caractères au plus : raccourcissez.
fault-too_many = { $max } au plus : retirez-en.
fault-control_character = Ce champ contient un caractère invisible, comme une tabulation ou un saut de ligne. Enlevez-le.
fault-bidi_override = Ce champ contient un caractère qui change la direction du texte. Enlevez-le.
fault-nul = Ce champ contient le caractère U+0000. Enlevez-le.
fault-comma = Une étiquette ne peut pas contenir de virgule.
fault-too_complex = En HTML, ce champ deviendrait trop volumineux. Imbriquez moins, ou réduisez les tableaux.

## Problèmes, et que faire

errors-title = Ce qui peut mal se passer
errors-lead = Chaque erreur est envoyée en `application/problem+json` (RFC 9457). Son `code` est l’un de ceux qui suivent, son `type` mène à cette page, et son `detail` explique en anglais ce qui s’est passé.
errors-description = Chaque erreur de l’API de { $name } : son code, son statut, et que faire.
errors-example = L’une d’elles, telle qu’elle est envoyée :
problem-home = Les derniers billets
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
help-invalid_json = Envoyez un seul objet JSON en UTF-8, où chaque nom figure une seule fois.
problem-invalid_parameter = Un paramètre de la requête n’est pas valide
help-invalid_parameter = Regardez ce qui suit le point d’interrogation dans l’adresse, ou ce qu’un formulaire a envoyé : le détail nomme la partie fautive.
problem-invalid_header = Un en-tête n’est pas valide
help-invalid_header = Envoyez une seule fois l’en-tête que le détail nomme, sous la forme que définit sa norme.
problem-conflicting_edit_tokens = Deux jetons de modification différents ont été envoyés
help-conflicting_edit_tokens = Envoyez le jeton de modification dans l’en-tête X-Edit-Token ou dans le paramètre token, pas un jeton différent dans chacun.
problem-invalid_idempotency_key = La clé d’idempotence n’est pas valide
help-invalid_idempotency_key = Envoyez un en-tête Idempotency-Key de 1 à 255 caractères ASCII visibles, par exemple un UUID aléatoire.
problem-missing_api_key = Il faut une clé d’API
help-missing_api_key = Envoyez votre clé d’API dans l’en-tête X-Api-Key. Si vous n’en avez pas, voyez la page « Obtenir une clé d’API », ou demandez à la personne qui gère ce service.
problem-invalid_api_key = La clé d’API n’est pas valide
help-invalid_api_key = Vérifiez que vous avez copié la clé en entier. Si elle a été révoquée, demandez-en une autre.
problem-missing_edit_token = Il faut le jeton de modification du billet
help-missing_edit_token = Envoyez l’edit_token reçu à la création du billet, dans l’en-tête X-Edit-Token. La personne qui a créé le billet peut en obtenir un nouveau avec la clé d’API employée alors.
problem-invalid_edit_token = Le jeton de modification n’est pas celui de ce billet
help-invalid_edit_token = Employez le jeton de ce billet-ci. S’il a été remplacé ou perdu, la personne qui a créé le billet peut en obtenir un nouveau avec la clé d’API employée alors.
problem-not_the_creator = La clé d’API n’a pas créé ce billet
help-not_the_creator = Employez la clé d’API avec laquelle le billet a été créé, ou le jeton de modification du billet.
problem-key_requests_closed = Les clés d’API ne sont pas données sur demande
help-key_requests_closed = Demandez une clé à la personne qui gère ce service.
problem-cross_origin_form = Le formulaire a été envoyé depuis un autre site
help-cross_origin_form = Ouvrez la page du formulaire elle-même, et envoyez-le de là. Si vous l’avez fait : en http simple, les navigateurs ne disent pas d’où vient un formulaire ; employez https.
problem-not_found = Il n’y a rien à cette adresse
help-not_found = Vérifiez que l’adresse est complète, jusqu’à sa dernière lettre. Peut-être trouverez-vous ce que vous cherchez parmi les derniers billets.
problem-method_not_allowed = La méthode n’est pas autorisée ici
help-method_not_allowed = Employez l’une des méthodes que donne l’en-tête Allow.
problem-edit_token_replaced = Le jeton de modification de cette création a été remplacé
help-edit_token_replaced = Le billet existe : employez le jeton qui a remplacé le premier, ou créez un autre billet avec une autre clé d’idempotence.
problem-gone = Le billet a été supprimé
help-gone = Il ne reviendra pas. Il y en a d’autres parmi les derniers billets.
problem-precondition_failed = Le billet a été modifié entre-temps
help-precondition_failed = Relisez le billet, appliquez votre modification à ce qu’il est maintenant, et envoyez le nouvel ETag dans If-Match.
problem-body_too_large = Le corps de la requête est trop volumineux
help-body_too_large = Envoyez moins : une requête fait 1 Mio au plus, sauf si ce service en décide autrement.
problem-unsupported_media_type = Le type de média du corps n’est pas pris en charge
help-unsupported_media_type = Envoyez du JSON avec Content-Type: application/json, en UTF-8 et non compressé.
problem-invalid_post = Le billet n’est pas valide
help-invalid_post = Corrigez les champs cités dans errors, qui dit pour chacun ce qui ne va pas.
problem-idempotency_key_reused = La clé d’idempotence a servi pour un autre corps
help-idempotency_key_reused = Envoyez de nouveau exactement le même corps, ou choisissez une nouvelle clé d’idempotence pour un nouveau billet.
problem-too_many_requests = Trop de requêtes
help-too_many_requests = Trop de demandes en peu de temps : attendez, puis continuez. Les programmes trouvent le nombre de secondes à attendre dans l’en-tête Retry-After.
problem-store_unavailable = Le stockage n’est pas disponible
help-store_unavailable = Vous n’y êtes pour rien. Réessayez dans un instant.

## La documentation. Le texte entre accents graves est du code. Ce qui commence par op-, param- et field- est dit aussi, en anglais, par openapi.json.

docs-title = Comment fonctionne l’API
docs-description = Publier et modifier des billets courts sur { $name } depuis vos programmes, avec des commandes curl à coller.
docs-lead = Des billets courts en Markdown, publiés depuis vos programmes : du JSON sur HTTP. La lecture ne demande pas de clé.
docs-tour = Visite guidée avec curl
docs-tour-lead = Collez les blocs l’un après l’autre dans un même terminal bash. La flèche donne le statut de chaque réponse. Ce que vous publiez est visible de tous.
docs-operations = Opérations
docs-signature = Comment lire ceci : accès · paramètres · champs JSON → statut, champs + en-têtes ; | signifie « ou ».
docs-common = Presque partout :
docs-parameters = Paramètres et en-têtes
docs-fields = Champs (≤ caractères)
size = { $mebibytes } Mio
size-bytes = { $bytes } octets
docs-needed = Obligatoire.
docs-pages = Pages et flux

tour-key = Obtenir une clé
tour-key-text = Publier demande une clé d’API, affichée une seule fois ; `KEY` la garde pour la suite. Avec un navigateur :
tour-key-own = Publier demande une clé d’API : mettez la vôtre à la place des points. Avec un navigateur :
tour-create = Publier
tour-create-text = La réponse donne l’adresse du billet, et son jeton de modification, affiché une seule fois : gardez-le.
tour-read = Lire
tour-read-text = En JSON, HTML compris, et sous la forme du Markdown envoyé.
tour-list = Lister
tour-list-text = Les plus récents d’abord. L’en-tête `Link` mène aux autres pages.
tour-change = Modifier
tour-change-text = Ce que vous omettez reste ; `null` efface un champ.
tour-seen = Ne modifier que ce que l’on a vu
tour-seen-text = `ETag` nomme l’état lu. `If-None-Match` en demande un plus récent : 304 s’il n’y en a pas. `If-Match` ne modifie le billet que s’il est encore dans cet état : la seconde requête arrive trop tard, la première l’ayant changé.
tour-once = Créer une seule fois
tour-once-text = Pas de réponse ? Répétez la requête avec le même `Idempotency-Key` dans les 24 heures : il n’y a qu’un billet, et vous recevez la même réponse.
tour-token = Remplacer le jeton de modification
tour-token-text = Perdu, ou vu par quelqu’un ? Votre clé d’API en donne un autre ; l’ancien cesse aussitôt de fonctionner.
tour-delete = Supprimer
tour-delete-text = Quiconque demande ensuite le billet apprend qu’il a été supprimé.

rule-errors = Erreurs
rule-errors-text = `application/problem+json` (RFC 9457), avec un `code` pour les programmes. Les erreurs propres à un paramètre figurent avec lui.
rule-methods = Méthodes
rule-methods-text = `HEAD` vaut partout où vaut `GET` ; `OPTIONS` répond avec `Allow`.
rule-cors = Les scripts d’autres sites ont accès à l’API (CORS).
rule-bodies = Corps
rule-bodies-text = Un objet JSON de { $max } au plus, sans autres champs que ceux donnés ici.
rule-queries = Paramètres
rule-queries-text = Ceux qui ne sont pas donnés ici sont ignorés.
rule-rates = Limites
rule-rates-text = Au-delà, 429 avec `Retry-After` en secondes :
rate = { $times } { $seconds ->
    [1] par seconde
    [60] par minute
    [3600] par heure
    [86400] par jour
   *[other] en { $seconds } secondes
  }, { $burst } au plus d’un coup
rate-creations = créer des billets, par clé :
rate-key-requests = demander des clés, par client :
rate-wrong-credentials = clés et jetons faux, par client :

op-createPost = Crée un billet ; avec un `Idempotency-Key`, une seule fois.
op-listPosts = Liste les billets, les plus récents d’abord. Une page après la fin n’en a pas.
op-readPost = Lit un billet.
op-updatePost = Modifie les champs envoyés et garde les autres. `null` ou une chaîne vide efface tout sauf `body` ; les autres champs d’une lecture sont ignorés.
op-patchPost = Fait la même chose que `PUT` ; accepte aussi `application/merge-patch+json` (RFC 7396).
op-deletePost = Supprime un billet. Ses adresses répondent ensuite 410.
op-replaceEditToken = Donne au billet un nouveau jeton de modification, pour qui a l’ancien ou a créé le billet. L’ancien cesse aussitôt de fonctionner.
op-issueKey = Délivre une clé d’API, si ce service en donne sur demande. Le corps peut être omis.
op-readKey = Montre ce que l’on sait de la clé d’API.
op-revokeKey = Révoque la clé d’API de la requête, dès la requête suivante.
op-openapi = Décrit cette API en OpenAPI 3.1.
op-health = Dit si le service fonctionne : si son stockage répond. Montre le retard des réplicas de la base de données, s’il y en a.
op-options = Liste les méthodes de ce chemin et répond aux requêtes préliminaires CORS.

tag-Posts = Les billets : les lister, les créer, les lire, les modifier et les supprimer.
tag-Keys = Les clés d’API, qui autorisent à créer des billets.
tag-Service = Le service lui-même : sa description et son état.

param-X-Api-Key = Votre clé d’API.
param-X-Edit-Token = Le jeton de modification du billet.
param-token = Le jeton de modification, s’il n’est pas dans `X-Edit-Token`.
param-id = Le billet : 10 consonnes minuscules.
param-page = Le numéro de la page ; 1 par défaut.
param-per_page = Billets par page, de 1 à 50 ; 20 par défaut.
param-tag = Seulement les billets qui ont cette étiquette, normalisée comme les leurs ; vide : tous.
param-include = `body` ajoute `body` et `html` à chaque billet.
param-Idempotency-Key = 1 à 255 caractères ASCII visibles, à votre choix. Répéter avec les mêmes clés et le même corps ne crée rien et reçoit la première réponse.
param-If-None-Match = Des étiquettes d’entité ou `*` : si l’une est actuelle, 304 en lecture, 412 en écriture.
param-If-Modified-Since = Une date : 304 si rien n’a changé depuis ; ignorée pour les listes.
param-If-Match = Des étiquettes d’entité ou `*` : 412 si aucune n’est actuelle.
param-If-Unmodified-Since = Une date : 412 si quelque chose a changé depuis.

field-title = Une ligne ; vide : pas de titre.
field-body = Markdown : CommonMark avec tableaux, texte barré et listes de tâches. Ni blanc, ni U+0000 ; gardé à l’octet près.
field-tags = Séparées par des virgules, ou un tableau. Normalisées : sans espaces autour ni `#` devant, Unicode NFC, minuscules, espaces simples, sans vides ni doublons.
field-focus_keyword = Ce que l’on chercherait pour trouver le billet : une ligne ; vide : aucun.
field-label = Le nom que vous donnez à la clé : une ligne.
field-id = 10 consonnes minuscules.
field-url = L’adresse publique du billet.
field-html = Le corps en HTML assaini. Les listes l’ont, avec `body`, par `include=body`.
field-excerpt = Le début du corps en texte brut : 200 caractères au plus, `…` à la fin s’il est coupé.
field-created_at = RFC 3339, UTC, millisecondes.
field-updated_at = RFC 3339, UTC, millisecondes ; avance à chaque modification acceptée.

page-post = Un billet pour les lecteurs ; avec `.md`, son Markdown.
page-edit = Le formulaire de modification, pour quiconque a le jeton.
page-feeds = Les 50 derniers billets ; ceux d’une étiquette avec `?tag=`.
page-sitemap = Le plan du site : tous les billets.
