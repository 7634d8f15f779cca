//! A change as the text that stores keep for durable listeners: one line of JSON. Names that this version does not
//! know are ignored.

use serde::{Deserialize, Serialize};

use super::{Actor, ChangeNote, Event, NewChange};
use crate::post::stored::StoredSummary;
use crate::post::{KeyId, Owner, PostId, PostSummary, Revision, Timestamp, Visibility, stored};

#[derive(Deserialize, Serialize)]
struct Line {
    #[serde(flatten)]
    event: EventLine,
    #[serde(with = "stored::micros")]
    at: Timestamp,
    by: Actor,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<Revision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<ChangeNote>,
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "event")]
enum EventLine {
    #[serde(rename = "post.created")]
    PostCreated {
        #[serde(with = "StoredSummary")]
        post: PostSummary,
    },
    #[serde(rename = "post.updated")]
    PostUpdated {
        #[serde(with = "StoredSummary")]
        post: PostSummary,
    },
    #[serde(rename = "post.deleted")]
    PostDeleted {
        id: PostId,
        visibility: Visibility,
        owner: Option<Owner>,
    },
    #[serde(rename = "key.issued")]
    KeyIssued {
        id: KeyId,
        label: Option<String>,
        owner: Owner,
    },
    #[serde(rename = "key.revoked")]
    KeyRevoked { id: KeyId },
}

pub(super) fn write(change: &NewChange) -> String {
    let line = Line {
        event: change.event().clone().into(),
        at: change.at,
        by: change.by.clone(),
        revision: change.revision,
        request: change.request.clone(),
        note: change.note.clone(),
    };
    let text = serde_json::to_string(&line);
    text.unwrap_or_else(|_| unreachable!("it has string keys and cannot fail"))
}

pub(super) fn read(text: &str) -> Result<NewChange, serde_json::Error> {
    let line: Line = serde_json::from_str(text)?;
    let change = NewChange::new(line.at, line.by, line.revision, line.event.into());
    Ok(change.with_request(line.request).with_note(line.note))
}

impl From<Event> for EventLine {
    fn from(event: Event) -> Self {
        match event {
            Event::PostCreated(post) => Self::PostCreated { post },
            Event::PostUpdated(post) => Self::PostUpdated { post },
            Event::PostDeleted {
                id,
                visibility,
                owner,
            } => Self::PostDeleted {
                id,
                visibility,
                owner,
            },
            Event::KeyIssued { id, label, owner } => Self::KeyIssued { id, label, owner },
            Event::KeyRevoked(id) => Self::KeyRevoked { id },
        }
    }
}

impl From<EventLine> for Event {
    fn from(line: EventLine) -> Self {
        match line {
            EventLine::PostCreated { post } => Self::PostCreated(post),
            EventLine::PostUpdated { post } => Self::PostUpdated(post),
            EventLine::PostDeleted {
                id,
                visibility,
                owner,
            } => Self::PostDeleted {
                id,
                visibility,
                owner,
            },
            EventLine::KeyIssued { id, label, owner } => Self::KeyIssued { id, label, owner },
            EventLine::KeyRevoked { id } => Self::KeyRevoked(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post::{PostId, PostSummary, Tag, TextField, Visibility};

    fn back(by: Actor, revision: Option<Revision>, event: Event) {
        let change = NewChange::new(Timestamp::from_micros(7), by, revision, event)
            .with_request(revision.map(|_| "9f86d081884c7d65".to_owned()))
            .with_note(revision.map(|_| ChangeNote::from("a \"reason\"")));
        let text = change.to_text();
        assert!(!text.contains('\n'), "{text}");
        let back = read(&text).unwrap();
        assert_eq!(back.numbered(1), change.numbered(1), "{text}");
    }

    #[test]
    fn each_event_and_each_actor_is_read_back() {
        let owner: Owner = "user:42".parse().unwrap();
        let (post, key) = (PostId::generate(), KeyId::generate());
        let mut summary = PostSummary::new(post, Timestamp::from_micros(5))
            .with_revision(Revision::from_number(3))
            .with_published_at(Some(Timestamp::from_micros(6)))
            .with_publish_at(Some(Timestamp::from_micros(8_000)))
            .with_expires_at(Some(Timestamp::from_micros(9_000)))
            .with_heading(Some("H".to_owned()))
            .with_excerpt("x\n\"y\"".to_owned())
            .with_picture(Some("https://example.org/a.png".to_owned()))
            .with_tags(vec![Tag::from_stored("a".to_owned())])
            .with_visibility(Visibility::Unlisted)
            .with_owner(Some(owner.clone()));
        for &field in TextField::ALL {
            summary = summary.with_text(field, Some(field.name().to_owned()));
        }
        let deleted = |owner| Event::PostDeleted {
            id: post,
            visibility: Visibility::Draft,
            owner,
        };
        let issued = |label: Option<&str>| Event::KeyIssued {
            id: key,
            label: label.map(str::to_owned),
            owner: owner.clone(),
        };
        let third = Some(Revision::from_number(3));
        back(Actor::Host, third, Event::PostCreated(summary.clone()));
        back(Actor::EditToken, third, Event::PostUpdated(summary));
        back(Actor::Key(key), third, deleted(None));
        back(
            Actor::SignedIn(owner.clone()),
            third,
            deleted(Some(owner.clone())),
        );
        back(Actor::Visitor, None, issued(None));
        back(Actor::Operator, None, issued(Some("CI")));
        back(Actor::Operator, None, Event::KeyRevoked(key));
        back(Actor::Schedule, third, deleted(None));
        back(Actor::Staff(owner), None, Event::KeyRevoked(key));
        back(
            Actor::Job("cleanup".to_owned()),
            None,
            Event::KeyRevoked(key),
        );
    }

    #[test]
    fn what_a_later_version_adds_is_ignored_and_what_it_invents_is_an_error() {
        let known = r#"{"event":"key.revoked","at":1,"by":"host","id":"bcdfghjklm","more":[1]}"#;
        assert!(read(known).is_ok());
        for unknown in [
            r#"{"event":"post.moved","at":1,"by":"host","id":"bcdfghjklm"}"#,
            r#"{"event":"key.revoked","at":1,"by":"robot","id":"bcdfghjklm"}"#,
            r#"{"event":"key.revoked","at":1,"by":"host","id":"?"}"#,
            r#"{"event":"key.revoked""#,
        ] {
            assert!(read(unknown).is_err(), "{unknown}");
        }
    }
}
