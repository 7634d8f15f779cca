//! The chart at the top of `BENCHMARKS.md`: Handbill on SQLite beside the services by hand and bare hyper. The numbers
//! are requests per second. The bars of a group are scaled to its longest, as otherwise those of creations would be too
//! short to compare.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::figure::{Figure, with_thousands};
use crate::plan::Plan;
use crate::rounds::Figures;
use crate::servers::{BARE, BY_HAND, SAME_WORK, SHORT, SQLITE};

const SIZE: (u32, u32) = (900, 520);
/// Room for the labels of the groups.
const LEFT: u32 = 190;
const FONT: &str = "Helvetica, Arial, sans-serif";
const TEXT: RGBColor = RGBColor(31, 41, 55);
const FAINT_TEXT: RGBColor = RGBColor(107, 114, 128);
const GRID: RGBColor = RGBColor(229, 231, 235);

/// The bars of each group, from the top: the subjects that one of them may be, its name and its colour.
const SERIES: [(&[&str], &str, RGBColor); 4] = [
    (&[SQLITE], "Handbill", RGBColor(37, 99, 235)),
    (
        &[SAME_WORK, BY_HAND],
        "same work by hand",
        RGBColor(217, 119, 6),
    ),
    (&[SHORT], "short service by hand", RGBColor(252, 211, 77)),
    (&[BARE], "bare hyper", RGBColor(156, 163, 175)),
];
/// The columns of the legend.
const LEGEND: [i32; SERIES.len()] = [0, 120, 300, 510];

/// A group of bars. They stand in this order, from the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    HotRead,
    RandomRead,
    LastPage,
    CreationByOne,
    CreationByMany,
}

impl Group {
    const ALL: [Self; 5] = [
        Self::HotRead,
        Self::RandomRead,
        Self::LastPage,
        Self::CreationByOne,
        Self::CreationByMany,
    ];

    /// What is measured, and a detail of it.
    fn label(self, plan: &Plan) -> (&'static str, String) {
        let posts = plan.posts_in_words();
        match self {
            Self::HotRead => ("Read one post", "again and again".to_owned()),
            Self::RandomRead => ("Read random posts", format!("out of {posts}")),
            Self::LastPage => ("Read the last page", format!("of a list of {posts} posts")),
            Self::CreationByOne => ("Create, 1 client", "durable".to_owned()),
            Self::CreationByMany => ("Create, 32 clients", "durable".to_owned()),
        }
    }
}

/// The figures of the chart as far as they are measured.
#[derive(Default)]
pub(crate) struct Chart {
    groups: BTreeMap<Group, [Option<f64>; SERIES.len()]>,
}

impl Chart {
    pub(crate) fn set(&mut self, group: Group, figures: &Figures) {
        let rate = |(subjects, ..): (&[&str], _, _)| {
            let figure = subjects.iter().find_map(|subject| figures.of(subject));
            figure.map(Figure::median)
        };
        self.groups.insert(group, SERIES.map(rate));
    }

    /// Whether all groups are measured.
    pub(crate) fn is_complete(&self) -> bool {
        self.groups.len() == Group::ALL.len()
    }

    /// Writes it as SVG.
    pub(crate) fn write(&self, plan: &Plan, file: &Path) {
        let mut svg = String::new();
        self.draw(plan, &mut svg).unwrap();
        // A background with round corners, for pages in dark colours too. It comes first, so that
        // the rest is drawn on it.
        let (width, height) = SIZE;
        let background =
            format!("\n<rect width=\"{width}\" height=\"{height}\" rx=\"12\" fill=\"white\"/>\n");
        std::fs::write(file, svg.replacen('\n', &background, 1)).unwrap();
    }

    fn draw(&self, plan: &Plan, svg: &mut String) -> Result<(), Box<dyn Error>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let title = "Requests per second";
        root.draw(&Text::new(title, (24, 32), text(24.0, TEXT, HPos::Left)))?;
        let about = "On SQLite and one core; 32 clients unless stated. Bars: share of the longest.";
        let style = text(16.0, FAINT_TEXT, HPos::Left);
        root.draw(&Text::new(about, (24, 58), style))?;
        for (column, (_, name, color)) in LEGEND.into_iter().zip(SERIES) {
            let (x, y) = (LEFT.cast_signed() + column, 88);
            let bar = Rectangle::new([(x, y - 6), (x + 12, y + 6)], color.filled());
            root.draw(&bar)?;
            root.draw(&Text::new(name, (x + 19, y), text(18.0, TEXT, HPos::Left)))?;
        }

        // Each group is one unit high, counted from the top.
        let mut chart = ChartBuilder::on(&root)
            .margin_top(104)
            .margin_right(80)
            .margin_left(LEFT)
            .margin_bottom(12)
            .x_label_area_size(24)
            .build_cartesian_2d(0.0..1.0, self.groups.len() as f64..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .x_labels(5)
            .axis_style(TRANSPARENT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .x_label_style(text(15.0, FAINT_TEXT, HPos::Center))
            .x_label_formatter(&|share| format!("{:.0} %", share * 100.0))
            .draw()?;
        for (at, (group, rates)) in self.groups.iter().enumerate() {
            let top = at as f64;
            let (label, detail) = group.label(plan);
            chart.draw_series([EmptyElement::at((0.0, top + 0.5))
                + Text::new(label, (-14, -9), text(19.0, TEXT, HPos::Right))
                + Text::new(detail, (-14, 10), text(15.0, FAINT_TEXT, HPos::Right))])?;
            let longest = rates.iter().flatten().copied().fold(0.0, f64::max);
            let bars = rates.iter().zip(SERIES);
            let bars = bars.filter_map(|(rate, (_, _, color))| rate.map(|rate| (rate, color)));
            for (bar, (rate, color)) in bars.enumerate() {
                let (share, y) = (rate / longest, top + 0.1 + 0.2 * bar as f64);
                // A bar that is too short to be seen shows its colour nevertheless.
                let bar = [(0.0, y), (share.max(0.004), y + 0.18)];
                let bar = Rectangle::new(bar, color.filled());
                chart.draw_series([bar])?;
                let number = with_thousands(rate);
                chart.draw_series([EmptyElement::at((share, y + 0.09))
                    + Text::new(number, (6, 0), text(15.0, TEXT, HPos::Left))])?;
            }
        }
        root.present()?;
        Ok(())
    }
}

fn text(size: f64, color: RGBColor, horizontal: HPos) -> TextStyle<'static> {
    let style = (FONT, size).into_font().color(&color);
    style.pos(Pos::new(horizontal, VPos::Center))
}
