//! A change as the text that stores keep for durable listeners: one line of JSON. Names that this version does not
//! know are ignored.

use serde::de::Error;
use serde::{Deserialize, Serialize};

use super::{Actor, Event, NewChange};
use crate::post::Revision;
use crate::post::id::KeyId;
use crate::post::line::SummaryLine;
use crate::post::owner::Owner;
use crate::post::time::Timestamp;

#[derive(Deserialize, Serialize)]
struct Line {
    event: String,
    /// In microseconds.
    at: i64,
    by: ActorLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post: Option<SummaryLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum ActorLine {
    Host,
    Operator,
    Key(String),
    EditToken,
    SignedIn(String),
    Visitor,
}

pub(super) fn write(change: &NewChange) -> String {
    let text = serde_json::to_string(&Line::from(change));
    text.unwrap_or_else(|_| unreachable!("it has string keys and cannot fail"))
}

pub(super) fn read(text: &str) -> Result<NewChange, serde_json::Error> {
    let line: Line = serde_json::from_str(text)?;
    let (at, revision) = (Timestamp::from_micros(line.at), line.revision);
    let by = line.by.to_actor()?;
    let event = line.into_event()?;
    let revision = revision.map(Revision::from_number);
    Ok(NewChange::new(at, by, revision, event))
}

impl From<&NewChange> for Line {
    fn from(change: &NewChange) -> Self {
        let event = change.event();
        let mut line = Self {
            event: event.name().to_owned(),
            at: change.at.as_micros(),
            by: ActorLine::from(&change.by),
            revision: change.revision.map(Revision::number),
            post: None,
            id: None,
            visibility: None,
            label: None,
            owner: None,
        };
        let text = |owner: Owner| owner.as_str().to_owned();
        match event {
            Event::PostCreated(post) | Event::PostUpdated(post) => {
                line.post = Some(SummaryLine::from(post));
            }
            Event::PostDeleted {
                id,
                visibility,
                owner,
            } => {
                line.id = Some(id.to_string());
                line.visibility = Some(visibility.to_string());
                line.owner = owner.map(text);
            }
            Event::KeyIssued { id, label, owner } => {
                line.id = Some(id.to_string());
                line.label = label;
                line.owner = Some(text(owner));
            }
            Event::KeyRevoked(id) => line.id = Some(id.to_string()),
        }
        line
    }
}

impl Line {
    fn into_event(self) -> Result<Event, serde_json::Error> {
        Ok(match (&*self.event, self.post) {
            ("post.created", Some(post)) => {
                Event::PostCreated(post.try_into().map_err(Error::custom)?)
            }
            ("post.updated", Some(post)) => {
                Event::PostUpdated(post.try_into().map_err(Error::custom)?)
            }
            ("post.deleted", None) => Event::PostDeleted {
                id: parse("id", self.id.as_deref())?,
                visibility: parse("visibility", self.visibility.as_deref())?,
                owner: match &self.owner {
                    Some(owner) => Some(parse("owner", Some(owner))?),
                    None => None,
                },
            },
            ("key.issued", None) => Event::KeyIssued {
                id: parse("id", self.id.as_deref())?,
                label: self.label,
                owner: parse("owner", self.owner.as_deref())?,
            },
            ("key.revoked", None) => Event::KeyRevoked(parse("id", self.id.as_deref())?),
            (name, _) => return Err(Error::custom(format!("the event {name:?} is not known"))),
        })
    }
}

impl From<&Actor> for ActorLine {
    fn from(actor: &Actor) -> Self {
        match actor {
            Actor::Host => Self::Host,
            Actor::Operator => Self::Operator,
            Actor::Key(id) => Self::Key(id.to_string()),
            Actor::EditToken => Self::EditToken,
            Actor::SignedIn(owner) => Self::SignedIn(owner.to_string()),
            Actor::Visitor => Self::Visitor,
        }
    }
}

impl ActorLine {
    fn to_actor(&self) -> Result<Actor, serde_json::Error> {
        Ok(match self {
            Self::Host => Actor::Host,
            Self::Operator => Actor::Operator,
            Self::Key(id) => Actor::Key(parse::<KeyId>("key", Some(id))?),
            Self::EditToken => Actor::EditToken,
            Self::SignedIn(owner) => Actor::SignedIn(parse("signed_in", Some(owner))?),
            Self::Visitor => Actor::Visitor,
        })
    }
}

fn parse<T: std::str::FromStr>(name: &str, text: Option<&str>) -> Result<T, serde_json::Error> {
    let parsed = text.and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| Error::custom(format!("{name} is missing or not valid")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post::id::PostId;
    use crate::post::{PostSummary, Tag, TextField, Visibility};

    fn back(by: Actor, revision: Option<Revision>, event: Event) {
        let change = NewChange::new(Timestamp::from_micros(7), by, revision, event);
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
            .with_heading(Some("H".to_owned()))
            .with_excerpt("x\n\"y\"".to_owned())
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
