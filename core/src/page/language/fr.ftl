# Les textes des pages en français. Le texte entre accents graves est affiché comme du code sur les pages qui le permettent.

language-name = Français
direction = ltr

## Le cadre

skip = Aller au contenu
nav-site = Site
nav-languages = Langues
nav-pages = Pages
nav-write = Écrire
nav-keys = Clés d’API
nav-docs = API
nav-follow = Suivre
nav-contact = Contact

month = { $month ->
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
day = { $day ->
    [1] 1er
   *[other] { $day }
  } { month }
untitled = Sans titre
copy = Copier
copy-code = Copier le code
copy-done = Copié
copy-key = Copier la clé
copy-command = Copier la commande
copy-address = Copier l’adresse
copy-link = Copier le lien
copy-private = Copier le lien privé
share = Partager
at-most = { $max } caractères au plus.

## Listes de billets

home-title = Derniers billets
home-tagged = Billets avec le mot-clé #{ $tag }
home-description = Des billets courts, les plus récents d’abord, sur { $name }.
home-lead = Un lieu pour des billets courts. Écrivez-les ici, ou publiez-les depuis vos programmes.
home-tagged-description = Les billets avec le mot-clé #{ $tag } sur { $name }, les plus récents d’abord.
home-by-description = Les billets de { $author } sur { $name }, les plus récents d’abord.
home-write = Écrire un billet
home-all = Tous les billets
home-count = { $count ->
    [one] { $count } billet
   *[other] { $count } billets
  }
home-empty = Rien n’a encore été publié ici.
home-first = Écrire le premier billet
home-none-in-month = Aucun billet n’est de ce mois.
home-months = Par mois
home-none-tagged = Aucun billet n’a ce mot-clé.
home-none-by = Cet auteur n’a encore rien publié.
home-past-the-end = Cette page n’existe pas. La dernière page est la page { $last }.
page-newer = Billets plus récents
page-older = Billets plus anciens
page-last = Aller à la dernière page
page-of = Page { $page } sur { $last }

## Recherches

search = Rechercher
search-words = Mots à rechercher
search-here = Dans ces billets
search-about = Rechercher dans les billets sur { $name }.
search-title = Recherche : { $words }
search-everywhere = Rechercher dans tous les billets
search-most = Ce sont les { $count } derniers billets qui ont ces mots. Il peut y en avoir de plus anciens : ajoutez un mot pour les trouver.
search-incomplete = Certains billets plus anciens ne se trouvent pas encore : leur indexation est en cours.
search-none = Aucun billet n’a tous ces mots. Cherchez moins de mots, ou le début d’un mot : trois lettres suffisent.
search-no-word = Cette recherche ne contient aucun mot. Tapez des lettres ou des chiffres.

## Mots-clés

tags-title = Mots-clés
tags-description = Tous les mots-clés des billets sur { $name }, et le nombre de billets de chacun.
tags-most = Ce sont les { $most } mots-clés qui ont le plus de billets.
tags-order = Ordre
tags-by-name = Par nom
tags-by-posts = Par nombre de billets
tags-empty = Aucun billet n’a encore de mot-clé.

## Suivre le site

follow-title = Suivre les nouveaux billets
follow-description = Comment suivre les billets sur { $name } avec un lecteur de flux.
follow-lead = Un lecteur de flux vous montre les nouveaux billets dès leur parution, sans compte et sans donner votre adresse électronique.
follow-how = Copiez cette adresse dans votre lecteur de flux :
follow-which = Autre format :
follow-all = Suivre plutôt tous les billets
follow-tag = Pour ne suivre que les billets qui ont un mot-clé, ajoutez-le à l’adresse :
follow-this = Suivre ce mot-clé

## llms.txt, pour les programmes qui lisent

llms-default = Un lieu pour des billets courts.
llms-about = Ce site publie des billets courts en Markdown. Chaque adresse sous « Derniers billets » est la source Markdown d’un billet ; sans « .md », c’est sa page.
llms-list = Tous les billets, en JSON
llms-list-note = par pages, les plus récents d’abord ; avec le paramètre tag, ceux qui ont ce mot-clé
llms-api = Utiliser ce site depuis des programmes
llms-openapi-note = la description de l’API, en OpenAPI 3.1
llms-docs-note = l’API expliquée, avec des commandes à coller
llms-feeds = Flux

## Un billet

task-done = Fait
task-open = À faire
heading-link = Lien vers cette section
footnotes = Notes
footnote = Note
footnote-back = Retour au texte
table = Tableau
post-changed = Mis à jour le
post-tags = Autres billets avec
post-more = Tous les billets
post-source = Source (Markdown)
post-draft = Ceci est un brouillon. Vous seul le voyez.
post-older = Billet plus ancien
post-newer = Billet plus récent
post-follow = Suivre les nouveaux billets
post-report = Signaler ce billet
post-minutes = { $minutes } min de lecture

## Clés d’API

keys-title = Obtenir une clé d’API
keys-lead = Publiez depuis un programme : il lui faut une clé.
keys-label = À quoi servira la clé ?
keys-label-hint = Facultatif : un nom pour reconnaître la clé.
keys-ask = Obtenir une clé
keys-secret = Quiconque a la clé peut publier avec elle. Conservez-la là où vous conservez vos mots de passe.
keys-closed = Les clés sont données par le responsable du site. Demandez-lui-en une.
keys-signed-out = Connectez-vous à ce site pour obtenir une clé.
keys-closed-write = Écrire un billet avec votre clé
keys-issued = Votre clé d’API
keys-once = Cette clé n’est affichée qu’une seule fois.
keys-store = Copiez-la maintenant, et conservez-la là où vous conservez vos mots de passe.
keys-try = Publiez votre premier billet
keys-paste = Collez ceci dans un terminal avec un shell Unix (Linux, macOS, WSL, Git Bash). Votre clé s’y trouve déjà :
keys-response = La réponse contient l’adresse de votre billet (`url`) et l’adresse secrète où vous pouvez le modifier ou le supprimer (`edit_url`).
keys-more = Référence complète de l’API
example-title = Bonjour
example-body = Mon premier *billet*.

## La page de modification

label-title = Titre
label-body = Texte
hint-write = Écrivez…
hint-body = Mettez en forme avec les boutons, ou en Markdown. Un \ final coupe la ligne.
label-tags = Mots-clés
hint-tags = Séparez-les par des virgules : { $tags } mots-clés au plus, de { $max } caractères au plus.
label-author = Auteur
hint-author = Votre nom, tel qu’il paraîtra.
label-language = Langue
language-chosen = Langue :
hint-language = Dans quelle langue est-il écrit ?
settings-title = Autres réglages
label-visibility = Qui peut le lire
hint-visibility = Non répertorié : seulement les personnes qui ont le lien. Brouillon : vous seul.
label-publish_at = Publier plus tard
hint-publish_at = Un brouillon jusque-là.
label-expires_at = Supprimer le
hint-expires_at = Rien ne le rétablira.
time-zone = Fuseau horaire :
due-publish_at = Ce brouillon sera publié :
cancel-publish_at = Ne pas le publier
due-expires_at = Ce billet sera supprimé :
cancel-expires_at = Ne pas le supprimer
label-api_key = Clé d’API
hint-api_key = Il faut une clé pour publier ici. Si vous n’en avez pas, demandez-en une au responsable du site. Le billet appartiendra au propriétaire de la clé.
sign-in = Se connecter
hint-api_key-signed_out = Connectez-vous à ce site pour publier. Ou utilisez une clé : le billet appartiendra à son propriétaire.
visibility-public = Public
visibility-unlisted = Non répertorié
visibility-draft = Brouillon
label-focus_keyword = Expression recherchée (facultatif)
hint-focus_keyword = Que chercherait-on pour trouver ce billet ? Avec une expression, vous recevez des conseils.
characters-left = Caractères restants : { $count }
characters-over = Caractères en trop : { $count }
view-label = Affichage
view-write = Écrire
view-preview = Aperçu
tools = Mise en forme
tool-bold = Gras
tool-italic = Italique
tool-link = Lien
tool-heading = Intertitre
tool-list = Liste
tool-quote = Citation
tool-code = Code
paste-long = Trop long : le texte a été collé sans mise en forme.
tool-picture = Image
picture-address = Adresse de l’image
picture-where = Les fichiers ne peuvent pas être conservés ici. Mettez d’abord l’image sur le web, par exemple sur un site de photos. Son adresse commence par https://.
picture-text = Ce qu’elle montre
picture-insert = Insérer
picture-cancel = Annuler
paste-file = Les fichiers ne peuvent pas être conservés ici. Une image a besoin d’une adresse : le bouton « Image » en dit plus.
faults-title = Il y a un problème
state-fault = Erreur : { $page }
state-saved = Enregistré : { $page }
state-published = Publié : { $page }
state-conflict = Conflit : { $page }

drafts-title = Texte inachevé dans ce navigateur
draft-words = { $count ->
    [one] Un mot
   *[other] { $count } mots
  }
draft-unstored = Ce navigateur ne peut pas garder votre texte. Faites-en une copie.
sending = Envoi…
saved-at = Enregistré à { $time }
unsent-offline = Rien n’a été enregistré : le service ne répond pas. Votre texte est conservé. Réessayez.
unsent-refused = Rien n’a été enregistré : le service l’a refusé. Votre texte est conservé.
preview-paused = L’aperçu est en pause.
draft-restore = Continuer à écrire
draft-discard = L’abandonner
draft-discarded = Abandonné.
draft-undo = Annuler
draft-restored = Votre texte est rétabli.
draft-stored = Conservé dans ce navigateur, { $time }

write-title = Écrire un billet
write-publish = Publier
write-draft = Garder en brouillon

published-public = Publié : { $name }
published-unlisted = Publié pour les personnes qui ont le lien : { $name }
published-draft = Brouillon enregistré : { $name }
published-address = L’adresse du billet :
published-keep = Gardez votre lien privé
published-store = Seul ce lien permet de modifier ce billet dans un navigateur. Ne le partagez pas : quiconque l’a peut modifier et supprimer le billet.
keep-email = Me l’envoyer par courriel
keep-download = Télécharger
mine-title = Vos billets dans ce navigateur
mine-edit = Modifier
mine-forget = Oublier
mine-remembered = Ce navigateur retient le lien. Sur un ordinateur partagé, faites-le oublier :
mine-remember = Retenir les billets que je publie ici
mine-shared = Quiconque utilise ce navigateur peut alors les modifier. Sur un ordinateur partagé, décochez cette case.

edit-title = Modifier le billet
edit-draft = Modifier le brouillon
edit-saved = Enregistré.
edit-held = Il attend d’être relu par ce site. Jusqu’à sa publication, c’est un brouillon.
edit-read = Lire le billet
edit-save = Enregistrer
edit-secret = Quiconque a l’adresse de cette page peut modifier et supprimer le billet. Ne la partagez pas.
preview-title = Aperçu
preview-empty = Votre billet apparaît ici.
preview-updated = L’aperçu est à jour.
preview-faults = Corrigez les problèmes pour voir l’aperçu.

refused-title = Rien n’a été enregistré
refused-safe = Votre texte est conservé.
refused-too_many_requests = Trop d’envois en peu de temps.
refused-store_unavailable = Le service ne répond pas.
refused-not_found = Ce lien privé ne fonctionne plus. Vous pouvez publier le texte comme nouveau billet.
refused-gone = Le billet a été supprimé. Vous pouvez publier le texte comme nouveau billet.
refused-refused = Ce site ne l’accepte pas.
refused-not_the_owner = Vous n’êtes pas connecté avec le compte qui a ouvert cette page. Connectez-vous avec ce compte dans un autre onglet, puis renvoyez le formulaire.
refused-body_too_large = { reader-body_too_large }

merged-title = Enregistré, avec des modifications faites ailleurs
merged-lead = D’autres parties de ce billet ont été modifiées pendant votre travail, par quelqu’un d’autre ou dans une autre fenêtre. Les deux modifications sont enregistrées. Les modifications venues d’ailleurs sont surlignées.
merged-typed = Ce que vous avez écrit
merged-saved = Ce qui est enregistré

conflict-title = Ce billet a été modifié pendant que vous le modifiiez
conflict-lead = Les mêmes lignes de ce billet ont été modifiées après que vous l’avez ouvert, par quelqu’un d’autre ou dans une autre fenêtre. Aucune version n’est perdue. Toutes les autres modifications sont dans le formulaire ci-dessous. Les mots qui diffèrent sont surlignés.
conflict-published = Version publiée
conflict-typed = Votre version, non enregistrée
conflict-choose = Le formulaire ci-dessous contient votre version. Reprenez-y ce qui vous manque de la version publiée. « Enregistrer » remplace ensuite la version publiée. Ou bien :
conflict-discard = abandonner ma version

renew-title = Obtenir un nouveau lien privé
renew-lead = Si quelqu’un d’autre a vu l’adresse de cette page, demandez-en une nouvelle. L’ancienne cesse alors de fonctionner.
renew-for-others = Avec un lien privé, quelqu’un d’autre peut modifier et supprimer le billet. Un nouveau lien met fin au précédent.
renewed-title = Voici votre nouveau lien privé
renewed-lead = L’ancien lien ne fonctionne plus.

delete-title = Supprimer le billet
delete-lead = Les lecteurs qui ouvriront son adresse verront qu’il a été supprimé. C’est irréversible.
delete-confirm = Oui, supprimer définitivement ce billet
delete-now = Supprimer
delete-unconfirmed = Rien n’a été supprimé. Cochez d’abord la case.
delete-overtaken = Rien n’a été supprimé : le billet a été modifié après que vous avez ouvert cette page. Relisez-le, puis décidez.
deleted-title = Le billet a été supprimé
deleted-lead = Les lecteurs qui ouvrent son adresse voient maintenant qu’il a été supprimé.

advice-links = Ces liens ne mènent nulle part, car aucun intertitre n’a leur adresse : { $links }. Écrivez les mots de l’intertitre en minuscules, avec des traits d’union entre eux, comme #premiers-pas.
advice-title = Aidez les lecteurs à trouver ce billet
advice-done = Fait :
advice-todo = À faire :
advice-title-met = le titre contient l’expression.
advice-title-todo = mettez l’expression dans le titre.
advice-title-missing = donnez au billet un titre qui contient l’expression.
advice-opening-met = le premier paragraphe contient l’expression.
advice-opening-todo = utilisez l’expression dans le premier paragraphe.
advice-headings-met = un intertitre contient l’expression.
advice-headings-todo = utilisez l’expression dans l’un des intertitres.
advice-headings-missing = divisez ce long texte par des intertitres (des lignes qui commencent par ##), et utilisez l’expression dans l’un d’eux.
advice-headings-not-needed = un texte si court n’a pas besoin d’intertitres.
advice-description-met = la description (le début du texte) a une bonne longueur et contient l’expression.
advice-description-short = dites-en plus au début : les moteurs de recherche l’affichent comme description, qui compte { $characters ->
    [one] { $characters } caractère
   *[other] { $characters } caractères
  } ; visez-en au moins { $least }.
advice-description-todo = utilisez l’expression dans les { $shown } premiers caractères du texte : les moteurs de recherche les affichent comme description.
advice-frequency-met = le texte utilise l’expression { $times } fois, ce qui convient à sa longueur.
advice-frequency-low = { $times ->
    [0] le texte n’utilise pas l’expression : utilisez-la
   *[other] le texte utilise l’expression { $times } fois : pour sa longueur, utilisez-la
  } au moins { $least ->
    [one] une fois
   *[other] { $least } fois
  }.
advice-frequency-high = le texte utilise l’expression { $times } fois : pour sa longueur, { $most } fois suffisent. Remplacez quelques occurrences par d’autres mots.

## Champs non valides

fault-required = { fault-field } est obligatoire.
fault-blank = Écrivez un texte.
fault-wrong_type = { fault-field } n’est pas du bon type.
fault-unknown_field = Ce champ n’existe pas.
fault-too_long = { fault-field } doit compter { $max } caractères au plus ; { $field ->
    [tags] l’un d’eux en compte
   *[other] il en compte
  } { $count }.
fault-too_many = Il faut { $max } mots-clés au plus.
fault-control_character = { fault-field } ne doit pas contenir de caractères invisibles, comme une tabulation ou un saut de ligne.
fault-bidi_override = { fault-field } ne doit pas contenir de caractères qui changent la direction du texte.
fault-nul = { fault-field } ne doit pas contenir le caractère U+0000.
fault-comma = Un mot-clé ne peut pas contenir de virgule.
fault-unknown_value = { $field ->
    [publish_at] Choisissez un moment à venir, dans 10 ans au plus.
    [expires_at] Choisissez un moment à venir, dans une minute au moins et 10 ans au plus.
   *[visibility] Choisissez qui peut lire le billet.
  }
fault-conflicts = Seul un brouillon peut être publié plus tard. Faites-en un brouillon, ou effacez le moment.
fault-not_a_language = { fault-field } doit être l’une de celles de la liste, ou un code comme fr ou pt-BR.
fault-too_complex = { fault-field } deviendrait trop volumineux en HTML. Imbriquez moins d’éléments ou réduisez les tableaux.
fault-refused = { $words }
fault-key_missing = Saisissez votre clé d’API.
fault-key_wrong = Cette clé d’API est mal saisie, inconnue ou révoquée. Vérifiez que vous l’avez copiée en entier.
fault-field = { $field ->
    [title] Le titre
    [tags] Chaque mot-clé
    [focus_keyword] L’expression recherchée
    [author] Le nom de l’auteur
    [language] La langue
    [publish_at] Le moment
    [expires_at] Le moment
    [label] Le nom de la clé
   *[body] Le texte
  }

## Les erreurs et comment les corriger

errors-title = Erreurs
errors-lead = Chaque erreur est envoyée en `application/problem+json` (RFC 9457). Son `code` est l’un de ceux qui suivent. Son `type` mène à cette page. Son `detail` explique en anglais ce qui s’est passé.
errors-description = Chaque erreur de l’API de { $name } : son code, son statut, et comment la corriger.
errors-example = Un exemple :
problem-home = Lire les derniers billets
problem-again = Réessayer
problem-wait-soon = Réessayez dans quelques secondes.
problem-wait = Réessayez dans { $minutes ->
    [one] une minute
   *[other] { $minutes } minutes
  }.
problem-wait-seconds = Réessayez dans { $seconds ->
    [one] une seconde
   *[other] { $seconds } secondes
  }.

reader-private_link-title = Ce lien de modification ne fonctionne pas
reader-private_link = Il a peut-être été remplacé par un nouveau. Demandez le nouveau lien, ou utilisez la dernière adresse reçue.
reader-not_found = Vérifiez que l’adresse est complète et bien écrite.
reader-gone-title = Ce billet a été supprimé
reader-gone = Son auteur ou le responsable du site l’a supprimé définitivement.
reader-not_the_owner = Vous êtes connecté, mais ce billet appartient à un autre compte. Avec son lien privé, vous pouvez le modifier.
reader-invalid_parameter-title = Cette adresse contient une partie qui n’est pas valide
reader-invalid_parameter = Vérifiez la partie de l’adresse après le point d’interrogation. Si vous avez envoyé un formulaire, revenez en arrière et envoyez-le de nouveau.
reader-search-title = Cette recherche n’est pas possible
reader-search = Recherchez 16 mots au plus, en 200 caractères au plus.
reader-invalid_header = Votre navigateur a envoyé quelque chose que ce service ne comprend pas. Réessayez dans une nouvelle fenêtre.
reader-method_not_allowed-title = Cette page ne s’ouvre pas ainsi
reader-cross_site-title = Ce formulaire vient d’une autre page
reader-body_too_large-title = C’est trop pour un seul billet
reader-body_too_large = Raccourcissez-le, ou publiez-le en plusieurs parties.
reader-unsupported_media_type-title = Cette page n’accepte que des formulaires
reader-unsupported_media_type = Revenez en arrière, et envoyez le formulaire de la page.
reader-too_many_requests-title = Trop de demandes en peu de temps
reader-unsaved = Rien n’a été enregistré. Votre texte est encore dans le formulaire : revenez-y.
reader-method_not_allowed = Revenez en arrière, et ouvrez de nouveau la page.
reader-cross_site = Ouvrez le formulaire sur ce site, et envoyez-le de là. Si vous l’avez fait, dites au responsable que ce site doit utiliser HTTPS pour les formulaires.
reader-too_many_requests = Ce serveur en limite le nombre pour chaque visiteur.
reader-store_unavailable = { refused-store_unavailable }

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
problem-search_not_available = Ce site n’a pas de recherche
help-search_not_available = Retirez le paramètre q, et listez les billets par mot-clé ou par date.
problem-missing_api_key = Une clé d’API est nécessaire
help-missing_api_key = Envoyez votre clé d’API dans l’en-tête X-Api-Key. Si vous n’en avez pas, voyez la page « Obtenir une clé d’API » ou demandez au responsable de ce service.
problem-invalid_api_key = La clé d’API n’est pas valide
help-invalid_api_key = Vérifiez que vous avez copié la clé en entier. Si elle a été révoquée, demandez-en une nouvelle.
problem-missing_edit_token = Le jeton de modification du billet est nécessaire
help-missing_edit_token = Envoyez l’edit_token du billet dans l’en-tête X-Edit-Token. La réponse à la création du billet le contient. Ou envoyez une clé d’API du propriétaire du billet dans X-Api-Key.
problem-invalid_edit_token = Le jeton de modification n’est pas valide pour ce billet
help-invalid_edit_token = Utilisez le jeton actuel de ce billet. S’il est perdu, une clé d’API du propriétaire du billet peut modifier le billet, et remplacer le jeton.
problem-not_the_owner = Le billet appartient à un autre propriétaire
help-not_the_owner = Utilisez une clé d’API du propriétaire du billet, ou le jeton de modification du billet.
problem-key_requests_closed = Ce service ne délivre pas de clés d’API sur demande
help-key_requests_closed = Demandez une clé au responsable de ce service.
problem-cross_site = La requête a été envoyée depuis un autre site
help-cross_site = Envoyez un formulaire depuis sa page sur ce site, et demandez une clé depuis ce site ou un programme. Si vous l’avez fait : en HTTP simple, les navigateurs ne disent pas de quel site vient un formulaire. Utilisez HTTPS.
problem-not_found = Il n’y a rien à cette adresse
help-not_found = Vérifiez que l’adresse est complète. Vous trouverez peut-être ce que vous cherchez parmi les derniers billets.
problem-method_not_allowed = Cette adresse n’autorise pas la méthode
help-method_not_allowed = Utilisez l’une des méthodes de l’en-tête Allow.
problem-edit_token_replaced = Le jeton de modification du billet créé a été remplacé
help-edit_token_replaced = Le billet existe. Utilisez son nouveau jeton de modification, ou créez un autre billet avec une autre clé d’idempotence.
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
help-idempotency_key_reused = Envoyez de nouveau exactement le même corps, ou utilisez une nouvelle clé d’idempotence pour un nouveau billet.
problem-refused = Le billet ne suit pas les règles de ce site
help-refused = Modifiez ce que cite errors. Le site décide de ce qu’il publie.
problem-too_many_requests = Trop de requêtes
help-too_many_requests = Vous avez envoyé trop de requêtes en peu de temps. L’en-tête Retry-After dit combien de secondes attendre.
problem-store_unavailable = Le service est brièvement indisponible
help-store_unavailable = Rien n’a été modifié. Réessayez dans quelques secondes.

## La documentation. Le texte entre accents graves est du code. openapi.json utilise aussi, en anglais, les messages op-, param- et field-.

docs-title = Comment fonctionne l’API
docs-description = Publier et modifier des billets courts sur { $name } depuis vos programmes, avec des commandes à coller pour curl.
docs-lead = Publiez des billets courts en Markdown depuis vos programmes, en JSON sur HTTP. La lecture ne demande pas de clé.
docs-tour = Visite guidée
tour-lead = Collez les blocs l’un après l’autre dans un terminal bash.
docs-tour-lead = La flèche montre le statut de la réponse. Un billet est public, sauf si sa visibilité dit autre chose.
docs-operations = Opérations
docs-rules = Règles communes
reference-title = Référence de l’API
reference-in = Entrée
reference-out = Sortie
reference-or = { "" } ou { "" }
reference-parameters = Paramètres :
reference-fields = JSON :
reference-headers = En-têtes :
reference-description = Chaque opération, paramètre et champ de l’API de { $name }.
docs-common = Presque partout :
docs-parameters = Paramètres et en-têtes
docs-fields = Champs (≤ caractères)
size = { $mebibytes } Mio
size-bytes = { $bytes } octets
docs-needed = Obligatoire.
docs-pages = Pages et flux

tour-key = Obtenir une clé
tour-key-text = Il faut une clé d’API pour publier. Elle est affichée une seule fois ; une variable la conserve. Avec un navigateur :
tour-key-own = Il faut une clé d’API pour publier. Mettez la vôtre à la place des points. Avec un navigateur :
tour-create = Publier
tour-create-text = La réponse contient l’adresse du billet et son jeton de modification, affiché une seule fois : conservez-le.
tour-read = Lire
tour-read-text = En JSON, avec le HTML, et sous la forme du Markdown que vous avez envoyé.
tour-list = Lister
tour-list-text = Les plus récents d’abord. L’en-tête `Link` contient les adresses des autres pages.
tour-change = Modifier
tour-change-text = Les champs omis ne changent pas ; `null` en efface un.
tour-seen = Ne modifier que la version lue
tour-seen-text = `ETag` identifie la version lue. Avec `If-None-Match`, une lecture renvoie 304 s’il n’y a rien de nouveau. Avec `If-Match`, seule cette version est modifiée : la seconde requête échoue.
tour-once = Créer une seule fois
tour-once-text = Pas de réponse ? Répétez la requête avec le même `Idempotency-Key` dans les 24 heures : un seul billet est créé.
tour-token = Remplacer le jeton de modification
tour-token-text = Perdu, ou vu par un autre ? Votre clé d’API en obtient un nouveau.
tour-delete = Supprimer
tour-delete-text = L’adresse du billet dit désormais qu’il a été supprimé.

rule-errors = Erreurs
rule-errors-text = `application/problem+json` (RFC 9457), avec un `code` pour les programmes.
rule-methods = Méthodes
rule-methods-text = `HEAD` fonctionne comme `GET`. `OPTIONS` renvoie `Allow`.
rule-cors = Les scripts d’autres sites peuvent utiliser l’API (CORS).
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
rate-creations = créer des billets, par clé ; sur /write sans clé, par client :
rate-key-requests = demander des clés, ou écrire sur /write sans clé, par client :
rate-wrong-credentials = clés et jetons invalides, par client :
rate-changes = modifier un billet :
rate-previews = aperçus, et pages de modification ouvertes, chacun par client :
rate-searches = recherches, par client :
rate-stored-bytes = texte enregistré, par clé :

page-post = La page d’un billet ; avec `.md`, ou pour les clients qui préfèrent `text/markdown`, son Markdown.
page-write = Écrire un billet dans le navigateur.
page-edit = Le formulaire de modification. Il faut le jeton de modification.
page-feeds = Les 50 derniers billets ; avec `?tag=`, ceux qui ont ce mot-clé.
page-finding = Les mots-clés, le suivi du site, et le site pour les programmes qui lisent.
page-search = La recherche, et sa description pour les navigateurs.
page-sitemap = Le plan du site : tous les billets.
