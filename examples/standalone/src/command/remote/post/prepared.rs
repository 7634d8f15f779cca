//! A file that was checked, ready to be sent.

use handbill::{Code, Draft, Handbill, PostId, Problem};

use super::Run;
use super::beside::Beside;
use super::origin::{self, KnownPost};
use super::source::Source;
use crate::client::{ETag, advice};
use crate::command::markdown::{DescribedPost, NoPost, describe};
use crate::command::remote::content::Content;

/// A file that can be sent.
pub(super) struct Prepared {
    pub(super) content: Content,
    /// The body of the request.
    pub(super) request: String,
    /// The post that it is already.
    pub(super) post: Option<KnownPost>,
    /// The file as it was read.
    pub(super) described: DescribedPost,
}

impl Run<'_> {
    /// Checks a file for all that would prevent publishing it, as far as it can be known without sending it.
    pub(super) async fn prepare(&self, source: &Source) -> Result<Prepared, NoPost> {
        let described = describe(&source.file, &self.rules, &self.links).await;
        let mut described = described.map_err(|reason| match reason {
            NoPost::Skipped(reason) if source.is_named => {
                format!("there is no post in it: it is one of the {reason}").into()
            }
            reason => reason,
        })?;
        let server = &self.session.client.server;
        let has_api_key = self.session.api_key.is_some();
        let post = KnownPost::find(&described.front_matter.origin, server)?;
        let draft = std::mem::take(&mut described.draft);
        let content = content(&self.checker, draft).await?;
        let request = content.request(&self.session.description.fields)?;
        let beside = Beside::of(&source.file);
        match &post {
            None if !has_api_key => {
                return Err(advice::says(Code::MissingApiKey).to_owned().into());
            }
            None => {
                let any = ETag::parse("1-0").ok_or("no entity tag".to_owned())?;
                let origin = origin::of_post(server, PostId::generate(), &any, content.hash());
                origin::check_writable(&source.file, &origin)?;
                beside.check_writable()?;
            }
            Some(post) if !has_api_key && beside.edit_token(server, post.id)?.is_none() => {
                return Err(advice::says(Code::MissingEditToken).to_owned().into());
            }
            Some(_) => {}
        }
        Ok(Prepared {
            content,
            request,
            post,
            described,
        })
    }
}

/// The content of a post, in the form in which the server would show it. The error names all fields that are not valid,
/// as the server would.
async fn content(checker: &Handbill, draft: Draft) -> Result<Content, String> {
    let posts = checker.posts();
    let detail = |problem: Problem| problem.detail().to_owned();
    let id = posts.create(draft).await.map_err(detail)?.id;
    let post = posts.read(id).await.map_err(detail)?;
    posts.delete(id).await.map_err(detail)?;
    let post = serde_json::to_value(&post).map_err(|error| error.to_string())?;
    Content::of_post(&post).ok_or_else(|| "the post has no content".to_owned())
}
