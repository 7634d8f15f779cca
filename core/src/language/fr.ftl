# Les pages en français. Un message dont le nom finit par -html est du HTML ; les autres sont du texte.

language-name = Français

## Le cadre

skip = Aller au contenu
nav-site = Site
nav-languages = Langues
nav-pages = Pages
nav-keys = Obtenir une clé
nav-docs = API

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
home-lead = Des billets courts, publiés par programme : une clé, une requête, et le vôtre est ici.
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
keys-label = À quoi servira la clé ?
keys-label-hint = Facultatif : un nom auquel vous la reconnaîtrez.
keys-ask = Obtenir une clé
keys-secret = Quiconque a la clé peut publier avec elle. Gardez-la là où vous gardez vos mots de passe.
keys-closed = Les clés d’API ne sont pas distribuées ici. Demandez-en une à qui exploite ce service.
keys-issued = Votre clé d’API
keys-once = Elle est affichée une seule fois, et plus jamais.
keys-keep = Copiez-la maintenant, et gardez-la là où vous gardez vos mots de passe.
keys-try = Publiez votre premier billet
keys-paste = Collez ceci dans un terminal. Votre clé s’y trouve déjà :
keys-answer-html = La réponse donne l’adresse de votre billet sous <code>url</code>, et sous <code>edit_url</code> l’adresse secrète où vous le modifiez ou le supprimez.
keys-more = Tout ce que l’API sait faire
example-title = Bonjour
example-body = Mon premier *billet*.

## La page de modification

field-title = Titre
field-body = Texte
field-body-hint = En Markdown : **gras**, *italique*, # titre, - liste, [lien](https://…).
field-tags = Étiquettes
field-tags-hint = Séparées par des virgules : { $tags } au plus, de { $max } caractères au plus chacune.
field-focus_keyword = Mot-clé principal
field-focus_keyword-hint = Ce que l’on cherche quand on doit trouver ce billet.
edit-title = Modifier le billet
edit-saved = Enregistré.
edit-read = Lire le billet
edit-save = Enregistrer
edit-preview = Aperçu
edit-faults = Rien n’est encore enregistré. Corrigez d’abord :
edit-secret = Quiconque a l’adresse de cette page peut modifier et supprimer le billet : gardez-la secrète.
preview-title = Aperçu
preview-faults = Pas d’aperçu avant que ceci soit corrigé :

conflict-title = Le billet a été modifié entre-temps
conflict-lead = Quelqu’un a enregistré une autre version après que vous avez ouvert cette page. Rien du vôtre n’est perdu, et rien du sien n’a été écrasé. Les différences sont marquées.
conflict-published = Publié maintenant
conflict-typed = Le vôtre, pas enregistré
conflict-choose = Reprenez de ce qui est publié ce qu’il vous faut dans le formulaire ci-dessous, puis enregistrez : le vôtre prend la place de ce qui est publié. Ou bien :
conflict-discard = garder ce qui est publié, et abandonner le vôtre

delete-title = Supprimer le billet
delete-lead = Quiconque ouvre son adresse apprendra dès lors que le billet a été supprimé. On ne peut pas le rétablir.
delete-confirm = Oui, supprimer ce billet pour de bon
delete-now = Supprimer
delete-unconfirmed = Rien n’a été supprimé. Cochez d’abord la case.
delete-overtaken = Rien n’a été supprimé : le billet a été modifié après que vous avez ouvert cette page. Regardez-le tel qu’il est maintenant, puis décidez à nouveau.
deleted-title = Le billet est supprimé
deleted-lead = Son adresse répond désormais qu’il n’existe plus.

advice-title = Être trouvé
advice-done = Fait :
advice-todo = À faire :
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
advice-description-short = dites-en plus au début du texte : les moteurs de recherche l’affichent comme description, et il a { $characters } caractères sur { $least } au moins.
advice-description-todo = employez le mot-clé dans les { $shown } premiers caractères du texte : les moteurs de recherche les affichent comme description.
advice-frequency-met = le texte emploie le mot-clé { $times } fois, ce qui convient à sa longueur.
advice-frequency-low = le texte emploie le mot-clé { $times } fois : pour sa longueur, employez-le au moins { $least } fois.
advice-frequency-high = le texte emploie le mot-clé { $times } fois : pour sa longueur, { $most } fois suffisent. Remplacez-en par d’autres mots.

## Ce qui peut clocher dans un champ

fault-required = Un billet en a besoin.
fault-blank = Écrivez quelque chose : des espaces ne suffisent pas.
fault-wrong_type = Ce n’est pas du type attendu.
fault-unknown_field = Ce champ n’existe pas.
fault-too_long = { $max } caractères au plus : raccourcissez.
fault-too_many = { $max } au plus : retirez-en.
fault-control_character = Il contient un caractère invisible, comme une tabulation ou une fin de ligne. Enlevez-le.
fault-bidi_override = Il contient un caractère qui inverse le sens du texte. Enlevez-le.
fault-nul = Il contient un caractère U+0000. Enlevez-le.
fault-comma = Pas de virgule dans une étiquette.
fault-too_complex = En HTML, il deviendrait trop volumineux. Imbriquez moins, ou réduisez les tableaux.

## Problèmes, et que faire

errors-title = Ce qui peut mal tourner
errors-lead-html = Chaque erreur est un <code>application/problem+json</code> (RFC 9457). Son <code>code</code> est l’un de ceux-ci, et son <code>detail</code> dit ce que c’était cette fois.
problem-home = Les derniers billets
problem-docs = Comment fonctionne l’API

problem-invalid_json = Le corps n’est pas un objet JSON
help-invalid_json = Envoyez un seul objet JSON en UTF-8, où chaque nom figure une fois.
problem-invalid_parameter = Un paramètre de la requête n’est pas valide
help-invalid_parameter = Regardez ce qui suit le point d’interrogation dans l’adresse : le détail nomme la partie fautive.
problem-invalid_header = Un en-tête n’est pas valide
help-invalid_header = Envoyez une seule fois l’en-tête que le détail nomme, sous la forme que sa norme lui donne.
problem-conflicting_edit_tokens = Deux jetons de modification différents ont été envoyés
help-conflicting_edit_tokens = Envoyez le jeton dans l’en-tête X-Edit-Token ou dans le paramètre token, pas des jetons différents dans les deux.
problem-invalid_idempotency_key = La clé d’idempotence n’est pas valide
help-invalid_idempotency_key = Envoyez un Idempotency-Key de 1 à 255 caractères ASCII visibles : un UUID aléatoire convient bien.
problem-missing_api_key = Il faut une clé d’API
help-missing_api_key = Envoyez votre clé d’API dans l’en-tête X-Api-Key. La page « Obtenir une clé » vous en donne une.
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
help-not_found = Vérifiez que l’adresse est entière : celle d’un billet finit par dix lettres. Peut-être trouverez-vous ce que vous cherchez parmi les derniers billets.
problem-method_not_allowed = La méthode n’est pas permise ici
help-method_not_allowed = Employez l’une des méthodes que donne l’en-tête Allow.
problem-edit_token_replaced = Le jeton de modification de cette création a été remplacé
help-edit_token_replaced = Le billet est là ; employez le jeton qui a pris la place du premier, ou créez un autre billet avec une autre clé d’idempotence.
problem-gone = Le billet a été supprimé
help-gone = Il ne reviendra pas. Il y en a d’autres parmi les derniers billets.
problem-precondition_failed = Le billet a été modifié entre-temps
help-precondition_failed = Relisez le billet, appliquez votre modification à ce qu’il est maintenant, et envoyez le nouvel ETag dans If-Match.
problem-body_too_large = Le corps de la requête est trop grand
help-body_too_large = Envoyez moins : une requête a 1 Mio au plus, sauf si ce service en dit autrement.
problem-unsupported_media_type = Le type de média du corps n’est pas pris en charge
help-unsupported_media_type = Envoyez du JSON avec Content-Type: application/json, en UTF-8 et non compressé.
problem-invalid_post = Le billet n’est pas valide
help-invalid_post = Corrigez les champs que donne errors : chacun dit ce qui ne va pas.
problem-idempotency_key_reused = La clé d’idempotence a servi pour un autre corps
help-idempotency_key_reused = Répétez exactement le même corps, ou prenez une nouvelle clé d’idempotence pour un nouveau billet.
problem-too_many_requests = Trop de requêtes
help-too_many_requests = Attendez autant de secondes que le dit l’en-tête Retry-After, puis continuez.
problem-store_unavailable = Le stockage n’est pas disponible
help-store_unavailable = Ce n’est pas votre faute. Réessayez dans un instant.
