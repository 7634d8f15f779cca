//! Publishes one file: creates its post, or changes it unless another user did.

use std::path::Path;

use handbill::{ApiKey, Code, PostId};
use sha2::{Digest, Sha256};

use super::Run;
use super::beside::{Beside, Pending, damaged};
use super::origin::{self, KnownPost};
use super::prepared::Prepared;
use super::report::{Outcome, Row};
use super::source::Source;
use crate::client::{self, Credentials, Failure, ReadPost, advice};
use crate::command::remote::content::Content;

/// How many posts of the same file and text may have been deleted.
const MAX_DELETED: u32 = 100;

impl Run<'_> {
    pub(super) async fn publish(
        &mut self,
        source: &Source,
        file: &Prepared,
    ) -> client::Result<Row> {
        match &file.post {
            Some(post) => {
                // A run that was stopped after it had written the file left this.
                Beside::of(&source.file).remove_pending()?;
                self.update(&source.file, post, file, false).await
            }
            None => self.create(source, file).await,
        }
    }

    /// Says what publishing the file would do, and changes nothing.
    pub(super) async fn rehearse(
        &mut self,
        source: &Source,
        file: &Prepared,
    ) -> client::Result<Row> {
        let Some(post) = &file.post else {
            return Ok(Row::new(Outcome::WouldCreate));
        };
        let credentials = self.credentials(&source.file, post.id)?;
        let now = self.session.client.read(post.id, &credentials).await?;
        let is_known = post.etag.as_ref() == Some(&now.etag) || is_as_left(post, &now);
        let outcome = match Content::of_read(&now)? == file.content {
            true => Outcome::Unchanged,
            false if is_known || self.options.force => Outcome::WouldUpdate,
            false => return Ok(conflict(&source.file, post.id, &now)),
        };
        Ok(Row::new(outcome).with_post(post.id, url_of(&now)))
    }

    /// Creates a post, once. The creation is stored before it is sent, and the file is written before the stored
    /// creation is removed. So whenever a run is stopped, the next one finds the post.
    async fn create(&mut self, source: &Source, file: &Prepared) -> client::Result<Row> {
        let beside = Beside::of(&source.file);
        let api_key = self.session.api_key.clone();
        let api_key = api_key.ok_or_else(|| advice::says(Code::MissingApiKey).to_owned())?;
        let mut pending = match beside.pending()? {
            Some(pending) => self.checked(pending, &api_key, &beside)?,
            None => Pending {
                server: self.session.client.server.to_string(),
                api_key: hash_of(&api_key),
                name: source.name.clone(),
                attempt: 0,
                post: file.request.clone(),
            },
        };
        let (created, current) = loop {
            beside.store_pending(&pending)?;
            let (client, key) = (&mut self.session.client, pending.idempotency_key());
            let created = client.create(&api_key, &key, &pending.post).await;
            if created.as_ref().is_err_and(Failure::is_final) {
                beside.remove_pending()?;
            }
            let created = created?;
            let credentials = Credentials::new(None, Some(&created.edit_token));
            match client.etag(created.id, &credentials).await {
                // The server remembers creations for longer than posts: this one was deleted, by its author or others.
                Err(failure) if failure.code() == Some(Code::Gone) => {
                    pending = pending.next();
                    if pending.attempt > MAX_DELETED {
                        return Err(failure);
                    }
                }
                // Two files have the same name and text.
                Ok(_) if self.posts.contains(&created.id) => pending = pending.next(),
                current => break (created, current?),
            }
        };
        self.posts.insert(created.id);
        let server = &self.session.client.server;
        beside.store_edit_token(server, &created)?;
        let sent = serde_json::from_str(&pending.post).ok();
        let sent = sent.and_then(|sent| Content::of_post(&sent));
        let hash = sent.ok_or_else(|| damaged(&beside.pending))?.hash();
        let post = KnownPost {
            id: created.id,
            etag: Some(created.etag.clone()),
            hash: Some(hash.clone()),
        };
        let origin = origin::of_post(server, created.id, &created.etag, hash);
        let written = origin::write(&source.file, &origin);
        written.map_err(|reason| not_written(&reason, &created.url))?;
        beside.remove_pending()?;
        // An earlier run created the post, and then the post or the file was changed.
        if current != created.etag || pending.post != file.request {
            return self.update(&source.file, &post, file, true).await;
        }
        Ok(Row::new(Outcome::Created).with_post(created.id, created.url))
    }

    /// Gives a post the content of a file. `is_new` says that this run was the first to write the post into the file.
    async fn update(
        &mut self,
        path: &Path,
        post: &KnownPost,
        file: &Prepared,
        is_new: bool,
    ) -> client::Result<Row> {
        let credentials = self.credentials(path, post.id)?;
        let (outcome, now) = match self.change(post, file, &credentials).await? {
            (Outcome::Conflict, now) => return Ok(conflict(path, post.id, &now)),
            (_, now) if is_new => (Outcome::Created, now),
            changed => changed,
        };
        let url = url_of(&now);
        let hash = Content::of_read(&now)?.hash();
        let origin = origin::of_post(&self.session.client.server, post.id, &now.etag, hash);
        origin::write(path, &origin).map_err(|reason| not_written(&reason, &url))?;
        Ok(Row::new(outcome).with_post(post.id, url))
    }

    /// Changes the post if it is as the file last knew it. Returns it as it is now.
    async fn change(
        &mut self,
        post: &KnownPost,
        file: &Prepared,
        credentials: &Credentials,
    ) -> client::Result<(Outcome, ReadPost)> {
        let (id, client, request) = (post.id, &mut self.session.client, &file.request);
        let is_changed = |failure: &Failure| failure.code() == Some(Code::PreconditionFailed);
        let expected = post.etag.as_ref().filter(|_| !self.options.force);
        if expected.is_some() || self.options.force {
            match client.update(id, credentials, expected, request).await {
                Err(failure) if is_changed(&failure) => {}
                now => return Ok(made(now?, post)),
            }
        }
        // The entity tag is another one after each change, but also after an upgrade of the server. And the change may
        // have been made by an earlier run that was stopped before it could write the file.
        let now = client.read(id, credentials).await?;
        if Content::of_read(&now)? == file.content {
            return Ok((Outcome::Unchanged, now));
        }
        if !is_as_left(post, &now) {
            return Ok((Outcome::Conflict, now));
        }
        let etag = Some(&now.etag);
        match client.update(id, credentials, etag, request).await {
            Err(failure) if is_changed(&failure) => {
                Ok((Outcome::Conflict, client.read(id, credentials).await?))
            }
            changed => Ok((Outcome::Updated, changed?)),
        }
    }

    /// Refuses a creation that this run can't complete, because it would create another post.
    fn checked(&self, pending: Pending, key: &ApiKey, beside: &Beside) -> Result<Pending, String> {
        let file = beside.pending.display();
        if pending.server != self.session.client.server.to_string() {
            let theirs = &pending.server;
            return Err(format!(
                "an earlier run may have created its post on {theirs}: publish it there once more, or remove {file} to \
                 publish it here"
            ));
        }
        if pending.api_key != hash_of(key) {
            return Err(format!(
                "an earlier run may have created its post, with another API key: run it with that key, or see in `handbill \
                 list --mine` that there is none, and remove {file}"
            ));
        }
        Ok(pending)
    }

    /// What may authorise changes of the post of a file.
    fn credentials(&self, path: &Path, id: PostId) -> Result<Credentials, String> {
        let server = &self.session.client.server;
        let edit_token = Beside::of(path).edit_token(server, id)?;
        let api_key = self.session.api_key.as_ref();
        Ok(Credentials::new(api_key, edit_token.as_ref()))
    }
}

/// Whether a post has the content with which the file left it, also if it was published at its time since.
fn is_as_left(post: &KnownPost, now: &ReadPost) -> bool {
    let now = &now.json;
    let contents = [Content::of_post(now), Content::before_publication(now)];
    let mut hashes = contents.iter().flatten().map(Content::hash);
    hashes.any(|hash| post.hash == Some(hash))
}

/// An update that changes nothing leaves the entity tag as it is.
fn made(now: ReadPost, before: &KnownPost) -> (Outcome, ReadPost) {
    match before.etag.as_ref() == Some(&now.etag) {
        true => (Outcome::Unchanged, now),
        false => (Outcome::Updated, now),
    }
}

fn conflict(file: &Path, id: PostId, now: &ReadPost) -> Row {
    let code = Code::PreconditionFailed;
    let message = advice::says(code).replace("ID", id.as_str());
    Row {
        message: Some(message.replace("FILE", &file.to_string_lossy())),
        code: Some(code.as_str()),
        ..Row::new(Outcome::Conflict).with_post(id, url_of(now))
    }
}

fn url_of(post: &ReadPost) -> String {
    post.json["url"].as_str().unwrap_or("-").to_owned()
}

fn not_written(reason: &str, url: &str) -> String {
    format!(
        "its post is {url}, but that could not be written into the file: {reason}; run the command again when it can be, and \
         the same post is used"
    )
}

fn hash_of(api_key: &ApiKey) -> String {
    hex::encode(Sha256::digest(api_key.expose()))
}
