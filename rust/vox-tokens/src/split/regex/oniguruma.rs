//! Oniguruma's dialect, as far as it means the same to regex-syntax.

use regex_syntax::{
    ast::{
        AssertionKind, Ast, ClassPerlKind, ClassSetBinaryOp, ClassSetBinaryOpKind, ClassSetItem,
        ClassUnicode, ClassUnicodeKind, ErrorKind, Flag, Flags, FlagsItemKind, GroupKind,
        RepetitionKind, RepetitionRange, Span, Visitor, parse::Parser, visit,
    },
    hir::{Hir, translate::TranslatorBuilder},
};

/// General categories and scripts whose names mean the same to both.
const PROPERTIES: &[&str] = &[
    "L",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "M",
    "Mn",
    "Mc",
    "Me",
    "N",
    "Nd",
    "Nl",
    "No",
    "P",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "S",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Z",
    "Zs",
    "Zl",
    "Zp",
    "C",
    "Cc",
    "Cf",
    "Co",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Bopomofo",
    "Latin",
    "Greek",
    "Cyrillic",
    "Arabic",
    "Hebrew",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
    "Tibetan",
    "Devanagari",
    "Bengali",
    "Tamil",
    "Telugu",
    "Kannada",
    "Malayalam",
    "Gujarati",
    "Gurmukhi",
    "Sinhala",
    "Georgian",
    "Armenian",
    "Ethiopic",
    "Mongolian",
];

/// Letters that fold to one character of their own, as ß is ss, if case doesn't matter.
const LIGATURES: &[&str] = &["ss", "ff", "fi", "fl", "st"];

/// `pattern` as regex-syntax has it.
pub fn parse(pattern: &str) -> Result<Hir, String> {
    let ast = Parser::new().parse(pattern).map_err(|error| match error.kind() {
        ErrorKind::UnsupportedLookAround => "it looks around".to_owned(),
        ErrorKind::UnsupportedBackreference => "it refers back to a group".to_owned(),
        kind => kind.to_string(),
    })?;
    visit(&ast, Check { pattern })?;
    // In Oniguruma's default syntax `^` and `$` are about lines.
    let mut translator = TranslatorBuilder::new().multi_line(true).build();
    translator.translate(pattern, &ast).map_err(|error| error.kind().to_string())
}

/// Refuses what means something else in Oniguruma.
struct Check<'p> {
    pattern: &'p str,
}

impl Check<'_> {
    fn flags(&self, flags: &Flags, group: &Span) -> Result<(), String> {
        for item in &flags.items {
            if item.kind != FlagsItemKind::Flag(Flag::CaseInsensitive) {
                return Err("a flag other than i".to_owned());
            }
            let text = self.pattern[group.start.offset..group.end.offset].to_ascii_lowercase();
            if text.contains('\\') || !text.is_ascii() {
                return Err("characters beyond ASCII in any case".to_owned());
            }
            if LIGATURES.iter().any(|ligature| text.contains(ligature)) {
                return Err("letters in any case that have a ligature".to_owned());
            }
        }
        Ok(())
    }
}

fn property(class: &ClassUnicode) -> Result<(), String> {
    let name = match &class.kind {
        ClassUnicodeKind::OneLetter(letter) => letter.to_string(),
        ClassUnicodeKind::Named(name) => name.clone(),
        ClassUnicodeKind::NamedValue { name, .. } => name.clone(),
    };
    if PROPERTIES.contains(&name.as_str()) { Ok(()) } else { Err(format!("the class {name}")) }
}

impl Visitor for Check<'_> {
    type Output = ();
    type Err = String;

    fn finish(self) -> Result<(), String> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::Repetition(outer) => match (&*outer.ast, &outer.op.kind) {
                (Ast::Repetition(_), _) => Err("a possessive repetition".to_owned()),
                (_, RepetitionKind::Range(RepetitionRange::Exactly(_))) if !outer.greedy => {
                    Err("a count that is optional".to_owned())
                }
                _ => Ok(()),
            },
            Ast::Flags(_) => Err("flags without a group".to_owned()),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) => self.flags(flags, &group.span),
                _ => Ok(()),
            },
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine
                | AssertionKind::EndLine
                | AssertionKind::StartText
                | AssertionKind::EndText => Ok(()),
                _ => Err("the edge of a word".to_owned()),
            },
            Ast::ClassPerl(class) if class.kind == ClassPerlKind::Word => Err(r"\w".to_owned()),
            Ast::ClassUnicode(class) => property(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), String> {
        match item {
            ClassSetItem::Ascii(_) => Err("a POSIX class".to_owned()),
            ClassSetItem::Perl(class) if class.kind == ClassPerlKind::Word => Err(r"\w".to_owned()),
            ClassSetItem::Unicode(class) => property(class),
            _ => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, op: &ClassSetBinaryOp) -> Result<(), String> {
        match op.kind {
            ClassSetBinaryOpKind::Intersection => Ok(()),
            _ => Err("a difference of classes".to_owned()),
        }
    }
}
