//! Handles a form for an edit page whose post cannot be read. The form is shown again, so that no text is lost.

use super::form::Fields;
use super::write::WritePage;
use super::{EditAddress, FormPage};
use crate::context::Context;
use crate::http::{Body, Head, Query, Response};
use crate::page;
use crate::page::site::Site;
use crate::post::IdempotencyKey;
use crate::problem::{Code, Problem};

type HiddenFields = Vec<(&'static str, String)>;

/// What an edit page remembers in its form of the post that its user opened.
const REMEMBERED: [&str; 3] = ["revision", "seen", "lines"];

/// The page with the form, if the client is a browser. Others get the problem.
pub(super) async fn show(
    context: &Context,
    head: &Head,
    body: Body,
    address: &EditAddress,
    problem: Problem,
) -> Result<Response, Problem> {
    if !super::returns_form(head, &problem) {
        return Err(problem);
    }
    let Ok((fields, remembered)) = page::read_form(context, head, body, read).await else {
        return Err(problem);
    };
    let is_signed_out = matches!(address, EditAddress::OfPost(_)) && head.signed_in.is_none();
    let (is_new, hidden) = match problem.code() {
        // The post can't be changed from here any more.
        Code::NotFound | Code::Gone if !is_signed_out => {
            let key = IdempotencyKey::generate().as_str().to_owned();
            (true, vec![("idempotency_key", key)])
        }
        _ => (false, remembered),
    };
    let site = Site::of(context, head);
    let mut form_page = FormPage::refused(context, &site, fields, &problem);
    form_page.user = super::user_of_page(context, head).await;
    form_page.knows_author = super::author(context, head).is_some();
    if is_signed_out {
        form_page.refusal = Some(super::refusal(&site, Code::NotTheOwner, None));
        form_page.login = super::login(context, head, &address.path());
    }
    let page = WritePage {
        form_page,
        site,
        hidden,
        is_submitted: true,
        is_edit: true,
        is_new,
    };
    super::page(context, head, Some(&problem), &page)
}

/// The fields of a form that has a text, and what it remembers.
fn read(form: &Query) -> Result<(Fields, HiddenFields), Problem> {
    if form.one("body")?.is_none() {
        return Err(Query::invalid("body", "is missing"));
    }
    let mut remembered = HiddenFields::new();
    for name in REMEMBERED {
        let is_ours = |value: &String| {
            value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        remembered.extend(form.one(name)?.filter(is_ours).map(|value| (name, value)));
    }
    Ok((Fields::of_new_post(form)?, remembered))
}
