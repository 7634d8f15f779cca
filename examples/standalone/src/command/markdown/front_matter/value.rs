//! What stands in front matter, whatever its format.

/// A value, with scalars as they were typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nothing,
    Text(String),
    List(Vec<Self>),
    Map(Vec<Member>),
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) value: Value,
    /// The line of the file, from 1 on. It counts for the names of the whole only.
    pub(super) line: usize,
}

/// How the names in one text are separated.
pub(super) type Split = fn(&str) -> Vec<String>;

/// What the name of an author or a term is called in a map: WordPress's converter for Jekyll has the others.
const NAMES: [&str; 3] = ["name", "display_name", "login"];

impl Value {
    /// A text that is more than white space.
    pub(super) fn text(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        (!text.trim().is_empty()).then_some(text)
    }

    /// The names in a text, in a list, or of a map, as generators write authors and tags. `None` for other values.
    pub(super) fn names(&self, split: Split) -> Option<Vec<String>> {
        match self {
            Self::Nothing => Some(Vec::new()),
            Self::Text(text) => Some(split(text)),
            Self::List(items) => {
                let names = items.iter().map(|item| match item {
                    Self::Text(text) => Some(vec![text.clone()]),
                    Self::List(_) => None,
                    item => item.names(split),
                });
                names
                    .collect::<Option<Vec<_>>>()
                    .map(|names| names.concat())
            }
            Self::Map(members) => {
                let mut names = NAMES.iter().filter_map(|name| self.member(name)?.text());
                if let Some(name) = names.next() {
                    return Some(vec![name.to_owned()]);
                }
                let keys = members.iter();
                keys.map(|key| key.value.is_mark().then(|| key.name.clone()))
                    .collect()
            }
        }
    }

    /// Whether it says no more than that its name is there.
    fn is_mark(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => text == "true" || text.parse::<f64>().is_ok(),
            Self::List(_) | Self::Map(_) => false,
        }
    }

    /// How many values it is made of.
    pub(super) fn count(&self) -> usize {
        1 + match self {
            Self::Nothing | Self::Text(_) => 0,
            Self::List(items) => items.iter().map(Self::count).sum(),
            Self::Map(members) => members.iter().map(|member| member.value.count()).sum(),
        }
    }

    /// The member of a map with this name, whose case does not matter.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let Self::Map(members) = self else {
            return None;
        };
        let has_name = |member: &&Member| member.name.eq_ignore_ascii_case(name);
        members.iter().find(has_name).map(|member| &member.value)
    }
}
