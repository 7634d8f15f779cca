//! What two people type into one post at the same time, whatever they do.

use handbill_testing::http::{App, TestResponse};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::json;
use tokio::runtime::Builder;

use crate::html::{Element, elements};

/// What one person does at a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edit {
    Keep,
    Delete,
    Replace,
    InsertBefore,
}

/// A person with an edit for each line.
#[derive(Clone, Debug)]
struct Person {
    name: &'static str,
    edits: Vec<Edit>,
}

impl Person {
    /// The lines that this person makes of those.
    fn edit(&self, lines: &[String]) -> Vec<String> {
        let mut edited = Vec::new();
        for (number, (line, edit)) in lines.iter().zip(&self.edits).enumerate() {
            if matches!(edit, Edit::Replace | Edit::InsertBefore) {
                edited.push(format!("{}{number}", self.name));
            }
            if matches!(edit, Edit::Keep | Edit::InsertBefore) {
                edited.push(line.clone());
            }
        }
        edited
    }
}

fn person(name: &'static str) -> impl Strategy<Value = Person> {
    use Edit::{Delete, InsertBefore, Keep, Replace};

    let edit = prop_oneof![6 => Just(Keep), 1 => Just(Delete), 1 => Just(Replace), 1 => Just(InsertBefore)];
    let edits = prop::collection::vec(edit, LINES);
    edits.prop_map(move |edits| Person { name, edits })
}

const LINES: usize = 12;
const CASES: u32 = 300;

fn opened() -> Vec<String> {
    (0..LINES).map(|number| format!("opened{number}")).collect()
}

/// A body of these lines and one that no form changes, so that it is never empty.
fn body(lines: &[String]) -> String {
    [lines, &["end".to_owned()]].concat().join("\n")
}

/// What the form remembers of the post that its user opened.
fn opened_fields(page: &TestResponse) -> [(&'static str, String); 3] {
    let elements = elements(page.text());
    ["revision", "seen", "lines"].map(|name| {
        let has_name = |element: &&Element| {
            let attributes = element.attributes.iter();
            attributes
                .into_iter()
                .any(|(key, value)| key == "name" && value == name)
        };
        let element = elements.iter().find(has_name).unwrap();
        let mut attributes = element.attributes.iter();
        let value = attributes.find(|(key, _)| key == "value").unwrap();
        (name, value.1.clone())
    })
}

async fn both_type(app: &App, first: &Person, second: &Person) {
    let lines = opened();
    let post = app.create(&json!({ "body": body(&lines) })).await;
    let form = app.get(&post.edit_page()).await;
    let remembered = opened_fields(&form);
    let typed = [first, second].map(|person| body(&person.edit(&lines)));
    let mut pages = Vec::new();
    for body in &typed {
        let remembered = remembered
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        let fields: Vec<_> = remembered.chain([("body", body.as_str())]).collect();
        let page = app.submit(&post.edit_page(), &fields).await;
        assert!(matches!(page.status.as_u16(), 200 | 303 | 412), "{page}");
        pages.push(page);
    }
    let saved = app.read(&post).await["body"].as_str().unwrap().to_owned();
    let saved: Vec<_> = saved.lines().collect();
    let is_conflict = pages[1].status == 412;
    if is_conflict {
        assert_eq!(saved.join("\n"), typed[0], "a conflict overwrites nothing");
    }
    let shown = pages[1].text().replace("<mark>", "").replace("</mark>", "");
    for line in typed.iter().flat_map(|body| body.lines()) {
        let was_there = line.starts_with("opened");
        let is_there = saved.contains(&line) || (is_conflict && shown.contains(line));
        assert!(is_there || was_there, "{line} is lost: {saved:?}");
    }
    for (number, line) in lines.iter().enumerate() {
        let keeps =
            |person: &Person| matches!(person.edits[number], Edit::Keep | Edit::InsertBefore);
        if keeps(first) && keeps(second) {
            assert!(
                saved.contains(&line.as_str()),
                "{line}, which both kept, is lost: {saved:?}"
            );
        }
    }
    let touches = |person: &Person, number: usize| person.edits[number] != Edit::Keep;
    // Lines that are not next to each other are different ones beyond doubt.
    let is_near = |number: usize| {
        let near = number.saturating_sub(1)..(number + 2).min(LINES);
        near.into_iter().any(|near| touches(second, near))
    };
    if (0..LINES).all(|number| !touches(first, number) || !is_near(number)) {
        assert!(!is_conflict, "changes of different lines are merged");
    }
}

#[test]
fn every_line_that_one_of_two_people_added_is_saved_or_shown() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(crate::app());
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    };
    let both = (person("first"), person("second"));
    let ran = TestRunner::new(config).run(&both, |(first, second)| {
        runtime.block_on(both_type(&app, &first, &second));
        Ok(())
    });
    ran.unwrap();
}
