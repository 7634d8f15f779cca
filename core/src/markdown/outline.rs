//! What a post says where: for advice to its writer.

use pulldown_cmark::{Event, Tag, TagEnd};

/// The texts of a source, without markup.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The first paragraph; empty if there is none.
    pub(crate) opening: String,
    pub(crate) headings: Vec<String>,
    /// All of it.
    pub(crate) text: String,
}

#[derive(PartialEq)]
enum Place {
    Opening,
    Heading,
    Elsewhere,
}

impl Outline {
    pub(super) fn of<'a>(events: impl Iterator<Item = Event<'a>>) -> Self {
        let (mut outline, mut place) = (Self::default(), Place::Elsewhere);
        for event in events {
            match event {
                Event::Start(Tag::Paragraph) if outline.opening.is_empty() => {
                    place = Place::Opening;
                }
                Event::Start(Tag::Heading { .. }) => {
                    place = Place::Heading;
                    outline.headings.push(String::new());
                }
                Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                    outline.end_line();
                    place = Place::Elsewhere;
                }
                Event::Text(text) | Event::Code(text) => outline.take(&text, &place),
                Event::SoftBreak | Event::HardBreak => outline.take(" ", &place),
                Event::Start(Tag::List(_) | Tag::BlockQuote(_))
                | Event::End(TagEnd::Item | TagEnd::TableCell | TagEnd::CodeBlock) => {
                    outline.end_line();
                }
                _ => {}
            }
        }
        outline
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn take(&mut self, text: &str, place: &Place) {
        self.text.push_str(text);
        match place {
            Place::Opening => self.opening.push_str(text),
            Place::Heading => {
                if let Some(heading) = self.headings.last_mut() {
                    heading.push_str(text);
                }
            }
            Place::Elsewhere => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::outline;
    use super::*;

    #[test]
    fn texts_are_told_apart_by_where_they_stand() {
        let expected = Outline {
            opening: "First of all.".to_owned(),
            headings: vec!["A heading".to_owned(), "Another".to_owned()],
            text: "A heading\nFirst of all.\nAnother\nItem\n".to_owned(),
        };
        let source = "# A *heading*\n\nFirst\nof all.\n\n## Another\n\n- Item\n";
        assert_eq!(outline(source), expected);
    }
}
