//! A file that was checked, ready to be sent.

use handbill::{Code, Draft, Handbill, PostId, Problem};

use super::Run;
use super::beside::Beside;
use super::origin::{self, KnownPost};
use super::source::Source;
use crate::client::{ETag, advice};
use crate::command::markdown::{Described, DescribedPost, Skipped, describe};
use crate::command::remote::content::Content;

/// A file that can be sent.
pub(super) struct Prepared {
    pub(super) content: Content,
    /// The body of the request.
    pub(super) request: String,
    /// The post that it is already.
    pub(super) post: Option<KnownPost>,
    /// The file as it was read.
    pub(super) described: Box<DescribedPost>,
}

/// A file that was read and checked.
pub(super) enum Checked {
    Ready(Box<Prepared>),
    /// It is not for a post of its own.
    Skipped(Skipped),
}

impl Run<'_> {
    /// Checks a file.
    ///
    /// # Errors
    /// All that would prevent publishing it, as far as it can be known without sending it.
    pub(super) async fn prepare(&self, source: &Source) -> Result<Checked, String> {
        let described = describe(&source.file, &self.rules, &self.links).await?;
        let mut described = match described {
            Described::Post(post) => post,
            Described::Skipped(reason) if source.is_named => {
                return Err(format!("there is no post in it: it is one of the {reason}"));
            }
            Described::Skipped(reason) => return Ok(Checked::Skipped(reason)),
        };
        let server = &self.session.client.server;
        let has_api_key = self.session.api_key.is_some();
        let post = KnownPost::find(&described.origin, server)?;
        let draft = std::mem::take(&mut described.draft);
        let content = content(&self.checker, draft).await?;
        let request = content.request(&self.session.description.fields)?;
        match &post {
            None if !has_api_key => {
                return Err(advice::says(Code::MissingApiKey).to_owned());
            }
            None => {
                let any = ETag::parse("1-0").ok_or("no entity tag")?;
                let origin = origin::of_post(server, PostId::generate(), &any, content.hash());
                origin::check_writable(&source.file, &origin)?;
                Beside::of(&source.file).check_writable()?;
            }
            Some(post) if !has_api_key => {
                let edit_token = Beside::of(&source.file).edit_token(server, post.id)?;
                if edit_token.is_none() {
                    return Err(advice::says(Code::MissingEditToken).to_owned());
                }
            }
            Some(_) => {}
        }
        Ok(Checked::Ready(Box::new(Prepared {
            content,
            request,
            post,
            described,
        })))
    }
}

/// The content of a post, in the form in which the server would show it.
///
/// # Errors
/// All fields that are not valid, as the server would say it.
async fn content(checker: &Handbill, draft: Draft) -> Result<Content, String> {
    let posts = checker.posts();
    let detail = |problem: Problem| problem.detail().to_owned();
    let id = posts.create(draft).await.map_err(detail)?.id;
    let post = posts.read(id).await.map_err(detail)?;
    posts.delete(id).await.map_err(detail)?;
    let post = serde_json::to_value(&post).map_err(|error| error.to_string())?;
    Content::of_post(&post).ok_or_else(|| "the post has no content".to_owned())
}
