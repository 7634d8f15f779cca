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
home-tagged = Billets marqués #{ $tag }
home-description = Des billets courts, les plus récents d’abord, sur { $name }.
home-lead = Des billets courts, publiés par programme : une clé, une requête, et le vôtre est ici.
home-start = Obtenir une clé et commencer
home-all = Tous les billets
home-count = { $count ->
    [one] { $count } billet
   *[other] { $count } billets
  }
home-empty = Il n’y a pas encore de billets ici.
home-past-the-end = La liste s’arrête avant cette page.
page-newer = Billets plus récents
page-older = Billets plus anciens
page-last = Vers la dernière page
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
keys-lead = Avec une clé d’API, vos programmes publient des billets ici. Il suffit d’appuyer sur le bouton.
keys-label = À quoi servira la clé ?
keys-label-hint = Facultatif : un nom auquel vous la reconnaîtrez.
keys-ask = Obtenir une clé
keys-secret = Quiconque a la clé peut publier avec elle. Gardez-la là où vous gardez vos mots de passe.
keys-closed = Les clés d’API ne sont pas distribuées ici. Demandez-en une à qui exploite ce service.
keys-issued = Votre clé d’API
keys-once = Elle est affichée une seule fois, et plus jamais.
keys-keep = Copiez-la maintenant, et gardez-la là où vous gardez vos mots de passe.
keys-try = Publiez votre premier billet
keys-paste = Collez ceci dans un terminal. Votre clé s’y trouve déjà :
keys-answer = La réponse donne l’adresse de votre billet sous `url`, et sous `edit_url` l’adresse secrète où vous le modifiez ou le supprimez.
keys-more = Tout ce que l’API sait faire
example-title = Bonjour
example-body = Mon premier *billet*.

## La page de modification

label-title = Titre
label-body = Texte
hint-body = En Markdown : **gras**, *italique*, # titre, - liste, [lien](https://…).
label-tags = Étiquettes
hint-tags = Séparées par des virgules : { $tags } au plus, de { $max } caractères au plus chacune.
label-focus_keyword = Mot-clé principal
hint-focus_keyword = Ce que l’on cherche quand on doit trouver ce billet.
edit-title = Modifier le billet
edit-saved = Enregistré.
edit-read = Lire le billet
edit-save = Enregistrer
edit-preview = Aperçu
edit-faults = Rien n’est encore enregistré. Corrigez d’abord :
edit-secret = Quiconque a l’adresse de cette page peut modifier et supprimer le billet : gardez-la secrète.
preview-title = Aperçu
preview-faults = Pas d’aperçu avant que ceci soit corrigé :

conflict-title = Le billet a été modifié entre-temps
conflict-lead = Quelqu’un a enregistré une autre version après que vous avez ouvert cette page. Rien du vôtre n’est perdu, et rien du sien n’a été écrasé. Les différences sont marquées.
conflict-published = Publié maintenant
conflict-typed = Le vôtre, pas enregistré
conflict-choose = Reprenez de ce qui est publié ce qu’il vous faut dans le formulaire ci-dessous, puis enregistrez : le vôtre prend la place de ce qui est publié. Ou bien :
conflict-discard = garder ce qui est publié, et abandonner le vôtre

delete-title = Supprimer le billet
delete-lead = Quiconque ouvre son adresse apprendra dès lors que le billet a été supprimé. On ne peut pas le rétablir.
delete-confirm = Oui, supprimer ce billet pour de bon
delete-now = Supprimer
delete-unconfirmed = Rien n’a été supprimé. Cochez d’abord la case.
delete-overtaken = Rien n’a été supprimé : le billet a été modifié après que vous avez ouvert cette page. Regardez-le tel qu’il est maintenant, puis décidez à nouveau.
deleted-title = Le billet est supprimé
deleted-lead = Son adresse répond désormais qu’il n’existe plus.

advice-title = Être trouvé
advice-done = Fait :
advice-todo = À faire :
advice-no-keyword = Indiquez un mot-clé principal, et des conseils sur son emploi paraîtront ici.
advice-title-met = le titre contient le mot-clé.
advice-title-todo = mettez le mot-clé dans le titre.
advice-title-missing = donnez au billet un titre qui contient le mot-clé.
advice-opening-met = le premier paragraphe contient le mot-clé.
advice-opening-todo = employez le mot-clé dans le premier paragraphe.
advice-headings-met = un intertitre contient le mot-clé.
advice-headings-todo = employez le mot-clé dans l’un des intertitres.
advice-headings-missing = divisez ce long texte par des intertitres (une ligne qui commence par ##), dont l’un contient le mot-clé.
advice-headings-not-needed = un texte si court n’a pas besoin d’intertitres.
advice-description-met = la description, qui est le début du texte, a une bonne longueur et contient le mot-clé.
advice-description-short = dites-en plus au début du texte : les moteurs de recherche l’affichent comme description, et il a { $characters } caractères sur { $least } au moins.
advice-description-todo = employez le mot-clé dans les { $shown } premiers caractères du texte : les moteurs de recherche les affichent comme description.
advice-frequency-met = le texte emploie le mot-clé { $times } fois, ce qui convient à sa longueur.
advice-frequency-low = le texte emploie le mot-clé { $times } fois : pour sa longueur, employez-le au moins { $least } fois.
advice-frequency-high = le texte emploie le mot-clé { $times } fois : pour sa longueur, { $most } fois suffisent. Remplacez-en par d’autres mots.

## Ce qui peut clocher dans un champ

fault-required = Un billet en a besoin.
fault-blank = Écrivez quelque chose : des espaces ne suffisent pas.
fault-wrong_type = Ce n’est pas du type attendu.
fault-unknown_field = Ce champ n’existe pas.
fault-too_long = { $max } caractères au plus : raccourcissez.
fault-too_many = { $max } au plus : retirez-en.
fault-control_character = Il contient un caractère invisible, comme une tabulation ou une fin de ligne. Enlevez-le.
fault-bidi_override = Il contient un caractère qui inverse le sens du texte. Enlevez-le.
fault-nul = Il contient un caractère U+0000. Enlevez-le.
fault-comma = Pas de virgule dans une étiquette.
fault-too_complex = En HTML, il deviendrait trop volumineux. Imbriquez moins, ou réduisez les tableaux.

## Problèmes, et que faire

errors-title = Ce qui peut mal tourner
errors-lead = Chaque erreur est un `application/problem+json` (RFC 9457). Son `code` est l’un de ceux qui suivent, son `type` mène à cette page, et son `detail` dit en anglais ce que c’était cette fois.
errors-description = Chaque erreur de l’API de { $name } : son code, son statut, et que faire.
errors-example = L’une d’elles, telle qu’elle est envoyée :
problem-home = Les derniers billets
problem-docs = Comment fonctionne l’API

problem-invalid_json = Le corps n’est pas un objet JSON
help-invalid_json = Envoyez un seul objet JSON en UTF-8, où chaque nom figure une fois.
problem-invalid_parameter = Un paramètre de la requête n’est pas valide
help-invalid_parameter = Regardez ce qui suit le point d’interrogation dans l’adresse : le détail nomme la partie fautive.
problem-invalid_header = Un en-tête n’est pas valide
help-invalid_header = Envoyez une seule fois l’en-tête que le détail nomme, sous la forme que sa norme lui donne.
problem-conflicting_edit_tokens = Deux jetons de modification différents ont été envoyés
help-conflicting_edit_tokens = Envoyez le jeton dans l’en-tête X-Edit-Token ou dans le paramètre token, pas des jetons différents dans les deux.
problem-invalid_idempotency_key = La clé d’idempotence n’est pas valide
help-invalid_idempotency_key = Envoyez un Idempotency-Key de 1 à 255 caractères ASCII visibles : un UUID aléatoire convient bien.
problem-missing_api_key = Il faut une clé d’API
help-missing_api_key = Envoyez votre clé d’API dans l’en-tête X-Api-Key. La page « Obtenir une clé » vous en donne une.
problem-invalid_api_key = La clé d’API n’est pas valide
help-invalid_api_key = Vérifiez que vous avez copié la clé en entier. Si elle a été révoquée, demandez-en une autre.
problem-missing_edit_token = Il faut le jeton de modification du billet
help-missing_edit_token = Envoyez le edit_token reçu à la création du billet, dans l’en-tête X-Edit-Token.
problem-invalid_edit_token = Le jeton de modification n’est pas celui de ce billet
help-invalid_edit_token = Employez le jeton de ce billet même. S’il a été remplacé ou perdu, qui a créé le billet en obtient un nouveau avec la clé d’API.
problem-not_the_creator = La clé d’API n’a pas créé ce billet
help-not_the_creator = Employez la clé d’API avec laquelle le billet a été créé, ou le jeton de modification du billet.
problem-key_requests_closed = Les clés d’API ne sont pas données sur demande
help-key_requests_closed = Demandez une clé à qui exploite ce service.
problem-cross_origin_form = Le formulaire a été envoyé depuis un autre site
help-cross_origin_form = Ouvrez la page du formulaire elle-même, et envoyez-le de là.
problem-not_found = Il n’y a rien à cette adresse
help-not_found = Vérifiez que l’adresse est entière : celle d’un billet finit par dix lettres. Peut-être trouverez-vous ce que vous cherchez parmi les derniers billets.
problem-method_not_allowed = La méthode n’est pas permise ici
help-method_not_allowed = Employez l’une des méthodes que donne l’en-tête Allow.
problem-edit_token_replaced = Le jeton de modification de cette création a été remplacé
help-edit_token_replaced = Le billet est là ; employez le jeton qui a pris la place du premier, ou créez un autre billet avec une autre clé d’idempotence.
problem-gone = Le billet a été supprimé
help-gone = Il ne reviendra pas. Il y en a d’autres parmi les derniers billets.
problem-precondition_failed = Le billet a été modifié entre-temps
help-precondition_failed = Relisez le billet, appliquez votre modification à ce qu’il est maintenant, et envoyez le nouvel ETag dans If-Match.
problem-body_too_large = Le corps de la requête est trop grand
help-body_too_large = Envoyez moins : une requête a 1 Mio au plus, sauf si ce service en dit autrement.
problem-unsupported_media_type = Le type de média du corps n’est pas pris en charge
help-unsupported_media_type = Envoyez du JSON avec Content-Type: application/json, en UTF-8 et non compressé.
problem-invalid_post = Le billet n’est pas valide
help-invalid_post = Corrigez les champs que donne errors : chacun dit ce qui ne va pas.
problem-idempotency_key_reused = La clé d’idempotence a servi pour un autre corps
help-idempotency_key_reused = Répétez exactement le même corps, ou prenez une nouvelle clé d’idempotence pour un nouveau billet.
problem-too_many_requests = Trop de requêtes
help-too_many_requests = Attendez autant de secondes que le dit l’en-tête Retry-After, puis continuez.
problem-store_unavailable = Le stockage n’est pas disponible
help-store_unavailable = Ce n’est pas votre faute. Réessayez dans un instant.

## La documentation. Le texte entre accents graves est du code. Ce qui commence par op-, param- et field- est dit aussi, en anglais, par openapi.json.

docs-title = Comment fonctionne l’API
docs-description = Publier et modifier des billets sur { $name } par programme, avec des lignes curl à coller.
docs-lead = Des billets courts en Markdown, publiés par programme : du JSON par HTTP. Lire ne demande pas de clé.
docs-tour = Visite guidée avec curl
docs-tour-lead = Collez bloc après bloc dans un même terminal avec bash. La flèche donne le statut reçu. Ce que vous publiez est visible de tous.
docs-operations = Opérations
docs-signature = En bref : accès · paramètres · JSON → statut, JSON + en-têtes ; | veut dire ou.
docs-common = Presque partout :
docs-parameters = Paramètres et en-têtes
docs-fields = Champs (≤ caractères)
docs-needed = Obligatoire.
docs-pages = Pages et flux

tour-key = Obtenir une clé
tour-key-text = Publier demande une clé d’API, montrée cette seule fois ; `KEY` la garde pour la suite. Avec un navigateur :
tour-key-own = Publier demande une clé d’API : mettez la vôtre à la place des points. Avec un navigateur :
tour-create = Publier
tour-create-text = La réponse donne l’adresse du billet, et son jeton de modification, montré cette seule fois : gardez-le.
tour-read = Lire
tour-read-text = En JSON, HTML compris, et dans le Markdown envoyé.
tour-list = Lister
tour-list-text = Les plus récents d’abord. L’en-tête `Link` mène aux autres pages.
tour-change = Modifier
tour-change-text = Ce que vous omettez reste ; `null` efface.
tour-seen = Ne modifier que ce que l’on a vu
tour-seen-text = `ETag` nomme l’état lu. `If-None-Match` en demande un plus récent : 304, il n’y en a pas. `If-Match` ne modifie que cet état : la seconde fois vient trop tard, après la première.
tour-once = Créer une seule fois
tour-once-text = Pas de réponse ? Répétez la requête avec le même `Idempotency-Key` dans les 24 heures : il n’y a qu’un billet, et qu’une réponse.
tour-token = Remplacer le jeton de modification
tour-token-text = Perdu, ou vu par quelqu’un ? Votre clé d’API en donne un autre ; l’ancien est mort aussitôt.
tour-delete = Supprimer
tour-delete-text = Qui demande ensuite le billet apprend qu’il n’est plus là.

rule-errors = Erreurs
rule-errors-text = `application/problem+json` (RFC 9457), avec un `code` pour les programmes. Les codes propres à un paramètre figurent avec lui.
rule-methods = Méthodes
rule-methods-text = `HEAD` vaut partout où vaut `GET` ; `OPTIONS` répond avec `Allow`.
rule-cors = Les scripts d’autres sites ont accès à l’API (CORS).
rule-bodies = Corps
rule-bodies-text = Un objet JSON de { $max } octets au plus, sans autres champs que ceux donnés.
rule-queries = Paramètres
rule-queries-text = Ceux qui ne sont pas donnés ici sont ignorés.
rule-rates = Débits
rule-rates-text = Au-delà, 429 avec `Retry-After` en secondes :
rate-creations = créer, par clé { $times }/{ $period }
rate-key-requests = demander des clés, par client { $times }/{ $period }
rate-wrong-credentials = clés et jetons faux, par client { $times }/{ $period }

op-createPost = Crée un billet ; avec un `Idempotency-Key`, une seule fois.
op-listPosts = Liste les billets, les plus récents d’abord. Une page après la fin n’en a pas.
op-readPost = Lit un billet.
op-updatePost = Modifie les champs envoyés et garde les autres. `null` ou une chaîne vide efface tout sauf `body` ; le reste d’une lecture est ignoré.
op-patchPost = Fait ce que fait `PUT` ; accepte aussi `application/merge-patch+json` (RFC 7396).
op-deletePost = Supprime un billet. Ses adresses répondent ensuite 410.
op-replaceEditToken = Donne au billet un autre jeton, pour qui a l’ancien ou a créé le billet. L’ancien est mort aussitôt.
op-issueKey = Délivre une clé d’API, si l’hôte en donne sur demande. Le corps peut être omis.
op-readKey = Montre ce que l’on sait de la clé d’API.
op-revokeKey = Révoque la clé d’API de la requête, dès la requête suivante.
op-openapi = Décrit cette API en OpenAPI 3.1.
op-health = Dit si le service peut travailler : son stockage répond.

param-X-Api-Key = Votre clé d’API.
param-X-Edit-Token = Le jeton de modification du billet.
param-token = Le jeton de modification, s’il n’est pas dans `X-Edit-Token`.
param-id = Le billet : 10 consonnes minuscules.
param-page = Le numéro de la page ; 1 par défaut.
param-per_page = Billets par page, de 1 à 50 ; 20 par défaut.
param-tag = Seulement les billets qui ont cette étiquette, normalisée comme les leurs ; vide, tous.
param-include = `body` : les billets avec `body` et `html`.
param-Idempotency-Key = 1 à 255 caractères ASCII visibles, à votre choix. Répéter avec les mêmes clés et le même corps ne crée rien et reçoit la première réponse.
param-If-None-Match = Des étiquettes d’entité ou `*` : si l’une est actuelle, 304 en lecture, 412 en écriture.
param-If-Modified-Since = Une date : 304 si rien n’a changé depuis ; ignorée pour les listes.
param-If-Match = Des étiquettes d’entité ou `*` : 412 si aucune n’est actuelle.
param-If-Unmodified-Since = Une date : 412 si quelque chose a changé depuis.

field-title = Une ligne ; vide, pas de titre.
field-body = Markdown : CommonMark avec tableaux, texte barré et listes de tâches. Ni blanc, ni U+0000 ; gardé à l’octet près.
field-tags = Séparées par des virgules, ou un tableau. Normalisées : sans espaces autour ni `#` devant, Unicode NFC, minuscules, espaces simples, sans vides ni doubles.
field-focus_keyword = Le mot-clé principal, sous lequel trouver le billet : une ligne ; vide, aucun.
field-label = Le nom de la clé pour son détenteur : une ligne.
field-id = 10 consonnes minuscules.
field-url = L’adresse publique du billet.
field-html = Le corps en HTML assaini. Les listes l’ont, avec `body`, par `include=body`.
field-excerpt = Le début du corps en texte brut : 200 caractères au plus, `…` à la fin s’il est coupé.
field-created_at = RFC 3339, UTC, millisecondes.
field-updated_at = RFC 3339, UTC, millisecondes ; croît à chaque modification acceptée.

page-post = Un billet pour les lecteurs ; avec `.md`, son Markdown.
page-edit = Pour le modifier, avec son jeton.
page-feeds = Les 50 derniers billets ; ceux d’une étiquette avec `?tag=`.
page-sitemap = Le plan du site : tous les billets.
