//! The pixels of a card, and their encoding as PNG.

use ab_glyph::{Font, PxScaleFont, ScaleFont, point};
use png::{BitDepth, ColorType, Encoder};

pub(super) const WIDTH: usize = 1200;
pub(super) const HEIGHT: usize = 630;

const PAPER: [u8; 3] = [0xfd, 0xfc, 0xfa];
/// The colours between paper and ink.
const SHADES: usize = 15;

/// What text is written with.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Name,
    Site,
}

impl Ink {
    const ALL: [Self; 2] = [Self::Name, Self::Site];

    const fn colour(self) -> [u8; 3] {
        match self {
            Self::Name => [0x1e, 0x20, 0x22],
            Self::Site => [0x0b, 0x57, 0xa4],
        }
    }
}

/// For each pixel its place in the palette.
pub(super) struct Canvas(Vec<u8>);

impl Canvas {
    pub(super) fn new() -> Self {
        Self(vec![0; WIDTH * HEIGHT])
    }

    /// Writes a line of text. The place is where its first letter stands on the baseline.
    pub(super) fn write(
        &mut self,
        text: &str,
        font: &PxScaleFont<impl Font>,
        (mut x, baseline): (f32, f32),
        ink: Ink,
    ) {
        for character in text.chars() {
            let mut glyph = font.scaled_glyph(character);
            glyph.position = point(x, baseline);
            x += font.h_advance(glyph.id);
            let Some(outline) = font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|right, down, coverage| {
                let (x, y) = (corner.x + right as f32, corner.y + down as f32);
                self.cover(x, y, ink, coverage);
            });
        }
    }

    fn cover(&mut self, x: f32, y: f32, ink: Ink, coverage: f32) {
        let shade = (coverage.clamp(0.0, 1.0) * SHADES as f32).round() as usize;
        let (column, row) = (x.max(0.0) as usize, y.max(0.0) as usize);
        if shade > 0 && column < WIDTH && row < HEIGHT {
            let pixel = &mut self.0[row * WIDTH + column];
            *pixel = (*pixel).max((ink as usize * SHADES + shade) as u8);
        }
    }

    pub(super) fn into_png(self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_palette(palette());
        let written = encoder
            .write_header()
            .and_then(|mut image| image.write_image_data(&self.0));
        written
            .unwrap_or_else(|_| unreachable!("the image has this size, and memory does not fail"));
        file
    }
}

/// The paper, and then for each ink its shades, from the palest to the full one.
fn palette() -> Vec<u8> {
    let mut palette = PAPER.to_vec();
    for ink in Ink::ALL {
        for shade in 1..=SHADES {
            let mixed = PAPER.iter().zip(ink.colour()).map(|(paper, ink)| {
                let mix = usize::from(*paper) * (SHADES - shade) + usize::from(ink) * shade;
                (mix / SHADES) as u8
            });
            palette.extend(mixed);
        }
    }
    palette
}
