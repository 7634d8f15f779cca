//! Headings, opening and text of a post: for advice to its writer.

use pulldown_cmark::{Event, Tag, TagEnd};

/// The texts of a source, without markup.
#[derive(Debug, Default)]
pub struct Outline {
    /// The first paragraph; empty if there is none.
    pub opening: String,
    /// The texts of its headings.
    pub headings: Vec<String>,
    /// All of it.
    pub text: String,
    position: Position,
}

#[derive(Debug, Default)]
enum Position {
    Opening,
    Heading,
    #[default]
    Elsewhere,
}

impl Outline {
    pub(super) fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Paragraph) if self.opening.is_empty() => {
                self.position = Position::Opening;
            }
            Event::Start(Tag::Heading { .. }) => {
                self.position = Position::Heading;
                self.headings.push(String::new());
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                self.end_line();
                self.position = Position::Elsewhere;
            }
            Event::Text(text) | Event::Code(text) => self.take_text(text),
            Event::SoftBreak | Event::HardBreak => self.take_text(" "),
            Event::Start(Tag::List(_) | Tag::BlockQuote(_))
            | Event::End(TagEnd::Item | TagEnd::TableCell | TagEnd::CodeBlock) => {
                self.end_line();
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn take_text(&mut self, text: &str) {
        self.text.push_str(text);
        match self.position {
            Position::Opening => self.opening.push_str(text),
            Position::Heading => {
                if let Some(heading) = self.headings.last_mut() {
                    heading.push_str(text);
                }
            }
            Position::Elsewhere => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::outline;

    #[test]
    fn opening_headings_and_text_are_told_apart() {
        let source = "# A *heading*\n\nFirst\nof all.\n\n## Another\n\n- Item\n";
        let outline = outline(source);
        assert_eq!(outline.opening, "First of all.");
        assert_eq!(outline.headings, ["A heading", "Another"]);
        assert_eq!(outline.text, "A heading\nFirst of all.\nAnother\nItem\n");
    }
}
