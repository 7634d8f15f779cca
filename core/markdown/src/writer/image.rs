//! Images, and figures: images that are alone in their paragraph.

use super::Writer;
use crate::TooComplex;
use crate::address::Address;
use crate::html::Attribute;

/// An image whose alternative text is being read, or that was written.
pub(super) struct Image {
    /// None if it is refused.
    pub(super) address: Option<Address>,
    pub(super) title: String,
    pub(super) alt: String,
    /// The containers around it.
    pub(super) depth: usize,
}

/// The paragraph that is open.
pub(super) struct Paragraph {
    /// Where its markup begins in the HTML, and where its content does.
    start: usize,
    content: usize,
    /// The image that it began with, and where that ends in the HTML.
    image: Option<(Image, usize)>,
}

impl Writer<'_, '_> {
    pub(super) fn open_paragraph(&mut self) -> Result<&'static str, TooComplex> {
        self.html.block("<p>")?;
        let content = self.html.len();
        let start = content - "<p>".len();
        let image = None;
        self.paragraph = Some(Paragraph {
            start,
            content,
            image,
        });
        Ok("</p>\n")
    }

    /// A paragraph that is one image with a title becomes a figure, which the title describes.
    pub(super) fn end_paragraph(&mut self) -> Result<(), TooComplex> {
        if let Some(paragraph) = self.paragraph.take()
            && let Some((image, end)) = paragraph.image
            && end == self.html.len()
        {
            if image.title.is_empty() {
                self.write_picture(&image, paragraph.start)?;
                return self.end();
            }
            self.open.pop();
            self.html.rewind(paragraph.start);
            self.html.markup("<figure>")?;
            self.write_image(&image, None)?;
            self.html.markup("<figcaption>")?;
            self.text(&image.title)?;
            return self.html.markup("</figcaption></figure>\n");
        }
        self.end()
    }

    /// On our own pages, a paragraph that is one image has room for it before it is loaded.
    fn write_picture(&mut self, image: &Image, start: usize) -> Result<(), TooComplex> {
        if self.style.page.is_none() || image.address.is_none() {
            return Ok(());
        }
        self.html.rewind(start);
        self.html.markup("<p")?;
        self.html.page_markup(" class=\"picture\"");
        self.html.markup(">")?;
        self.write_image(image, None)
    }

    pub(super) fn end_image(&mut self, image: Image) -> Result<(), TooComplex> {
        if let Some(address) = &image.address
            && self.preview_image.is_none()
            && address.suits_previews()
        {
            self.preview_image = Some(address.as_str().to_owned());
        }
        let start = self.html.len();
        self.write_image(&image, Some(&image.title))?;
        let end = self.html.len();
        if let Some(paragraph) = &mut self.paragraph
            && paragraph.content == start
        {
            paragraph.image = Some((image, end));
        }
        Ok(())
    }

    /// HTML has no image without an address: the alternative text stands for one that is refused.
    fn write_image(&mut self, image: &Image, title: Option<&str>) -> Result<(), TooComplex> {
        let Some(address) = &image.address else {
            return self.text(&image.alt);
        };
        self.html.markup("<img")?;
        self.html.attribute(&Attribute::Src(address))?;
        self.html.attribute(&Attribute::Alt(&image.alt))?;
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            self.html.attribute(&Attribute::Title(title))?;
        }
        self.html
            .markup(" loading=\"lazy\" referrerpolicy=\"no-referrer\">")
    }
}
