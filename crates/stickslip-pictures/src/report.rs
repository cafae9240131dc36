//! One page that holds a whole run: pictures, plots, certificate and parameters, in one HTML file without links.

use crate::error::PictureError;
use crate::files;
use std::fmt::Write;
use std::path::Path;

/// A page to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// Its parts, in order.
    pub sections: Vec<Section>,
}

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its headline.
    pub title: String,
    /// What it holds, in order.
    pub items: Vec<Item>,
}

/// Something on a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A paragraph.
    Text(String),
    /// A text with its lines as they are, such as a file.
    Code(String),
    /// A verdict that is seen first: green if it is good, red if it is not.
    Verdict {
        /// whether all is well
        good: bool,
        /// in words
        text: String,
    },
    /// Names and values, or any rows.
    Table {
        /// above the columns; none if empty
        head: Vec<String>,
        /// the rows
        rows: Vec<Vec<String>>,
    },
    /// A picture or a movie, as the bytes of its file.
    Image {
        /// below it
        caption: String,
        /// PNG, GIF, MP4 or WebM
        bytes: Vec<u8>,
    },
    /// A plot.
    Svg {
        /// below it
        caption: String,
        /// the drawing
        svg: String,
    },
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#22252b;--faint:#6b7280;--paper:#fff;--line:#e3e6eb;--shade:#f6f7f9}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e8ec;--faint:#9aa1ad;--paper:#16181d;--line:#2c3038;--shade:#1e2127}}\
body{font:16px/1.5 system-ui,'DejaVu Sans',Verdana,sans-serif;color:var(--ink);background:var(--paper);\
max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{margin:0;font-size:1.8rem}h2{margin:2.2rem 0 .6rem;font-size:1.25rem;border-bottom:1px solid var(--line)}\
.subtitle,figcaption{color:var(--faint)}figure{margin:1rem 0}\
img,video,svg{max-width:100%;height:auto;border-radius:6px;background:#fff}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}\
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}\
th{color:var(--faint);font-weight:500}\
pre{background:var(--shade);padding:.6rem .9rem;border-radius:6px;overflow-x:auto;font-size:.85rem}\
.verdict{padding:.6rem .9rem;border-radius:6px;background:var(--shade);border-left:5px solid}\
.good{border-color:#009e73}.bad{border-color:#d55e00}";

impl Page {
    /// The page as one file.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n<p class=\"subtitle\">{}</p>\n",
            escape(&self.subtitle)
        );
        for section in &self.sections {
            let _ = writeln!(html, "<section>\n<h2>{}</h2>", escape(&section.title));
            section.items.iter().for_each(|item| item.write(&mut html));
            html.push_str("</section>\n");
        }
        html.push_str("</body>\n</html>\n");
        html
    }

    /// Writes the page; an existing file is replaced only by a complete one.
    pub fn save(&self, path: &Path) -> Result<(), PictureError> {
        files::write(path, self.html().as_bytes())
    }
}

impl Item {
    fn write(&self, html: &mut String) {
        // writing to a string cannot fail
        let _ = match self {
            Item::Text(text) => writeln!(html, "<p>{}</p>", escape(text)),
            Item::Code(text) => writeln!(html, "<pre>{}</pre>", escape(text)),
            Item::Verdict { good, text } => {
                let class = if *good { "good" } else { "bad" };
                writeln!(html, "<p class=\"verdict {class}\">{}</p>", escape(text))
            }
            Item::Table { head, rows } => writeln!(html, "{}", table(head, rows)),
            Item::Image { caption, bytes } => {
                let (kind, data) = (kind(bytes), base64(bytes));
                let source = format!("src=\"data:{kind};base64,{data}\"");
                let caption = escape(caption);
                let shown = if kind.starts_with("video") {
                    format!("<video controls loop muted {source}></video>")
                } else {
                    format!("<img alt=\"{caption}\" {source}>")
                };
                writeln!(html, "<figure>\n{shown}\n<figcaption>{caption}</figcaption>\n</figure>")
            }
            Item::Svg { caption, svg } => {
                let caption = escape(caption);
                writeln!(html, "<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>")
            }
        };
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = if head.is_empty() { String::new() } else { row("th", head) };
    let rows: String = rows.iter().map(|cells| row("td", cells)).collect();
    format!("<table>\n{head}{rows}</table>")
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The kind of a file, by how it begins.
fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'G', b'I', b'F', ..] => "image/gif",
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "video/webm",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "video/mp4",
        _ => "image/png",
    }
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, k| word << 8 | u32::from(*chunk.get(k).unwrap_or(&0)));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn a_page_holds_all_that_it_is_given_and_needs_no_other_file() {
        let items = vec![
            Item::Verdict { good: false, text: "3 steps missed".into() },
            Item::Text("a < b & c".into()),
            Item::Code("mu = 1\nr < 2".into()),
            Item::Table { head: vec!["name".into()], rows: vec![vec!["<mu>".into()]] },
            Item::Image { caption: "drum".into(), bytes: b"GIF89a".to_vec() },
            Item::Svg { caption: "energy".into(), svg: "<svg></svg>".into() },
        ];
        let section = Section { title: "Certificate".into(), items };
        let page = Page { title: "run <1>".into(), subtitle: "s".into(), sections: vec![section] };
        let html = page.html();
        for part in [
            "<title>run &lt;1&gt;</title>",
            "verdict bad\">3 steps missed",
            "a &lt; b &amp; c",
            "<pre>mu = 1\nr &lt; 2</pre>",
            "<tr><th>name</th></tr>",
            "<td>&lt;mu&gt;</td>",
            "src=\"data:image/gif;base64,R0lGODlh\"",
            "<svg></svg>",
        ] {
            assert!(html.contains(part), "{part} is missing in {html}");
        }
        assert!(!html.contains("http"));
    }
}
