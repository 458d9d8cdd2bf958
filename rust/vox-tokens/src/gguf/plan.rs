//! What is kept of a file: a plan, which is small, and tables, which are mapped.

use serde::{Deserialize, Serialize};
use vox_types::{Code, Error, Result};

use super::{
    bpe,
    defined::{self, Defined},
    encoding::WithDefined,
    metadata::Tokenizer,
    model::Model,
    rwkv, spm, ugm,
    vocab::Vocab,
    wpm,
};
use crate::{
    compiled::{Form, Kind, Tables},
    text::shown,
};

/// Compiled forms of files.
pub const COMPILED: Kind = Kind { magic: *b"voxgguf\0", version: 1, extension: "voxgguf" };

/// The values of `tokenizer.ggml.model` that are counted.
const KINDS: [&str; 7] = ["gpt2", "gemma4", "whitespace", "llama", "bert", "t5", "rwkv"];

/// Everything but the tables.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    defined: Vec<defined::Token>,
    model: ModelPlan,
}

/// How a model works.
#[derive(Serialize, Deserialize)]
enum ModelPlan {
    Merges(bpe::Plan),
    Scores(spm::Plan),
    Unigram(ugm::Plan),
    Words(wpm::Plan),
    Greedy,
}

/// Compiles a file.
///
/// # Errors
///
/// `unsupported` if there is no exact count, and why; `malformed` if the vocabulary contradicts
/// itself.
pub fn compile(from: &Tokenizer) -> Result<(Plan, Tables)> {
    if !KINDS.contains(&&*from.model) {
        let model = if from.model.is_empty() { "not there".into() } else { shown(&from.model) };
        let message = format!(
            "tokenizer.ggml.model is {model}, and vox counts {} exactly, so there is no exact count. Use a bound.",
            KINDS.join(", ")
        );
        return Err(Error::new(Code::Unsupported, message));
    }
    let vocab = Vocab::new(from)?;
    let defined = defined::find(&vocab)?;
    let mut tables = Tables::default();
    let model = match &*from.model {
        "llama" => ModelPlan::Scores(spm::compile(from, &vocab, &defined, &mut tables)?),
        "bert" => ModelPlan::Words(wpm::compile(from, &vocab, &mut tables)),
        "t5" => ModelPlan::Unigram(ugm::compile(from, &vocab, &defined, &mut tables)?),
        "rwkv" => {
            rwkv::compile(&vocab, &mut tables)?;
            ModelPlan::Greedy
        }
        _ => ModelPlan::Merges(bpe::compile(from, &vocab, &mut tables)?),
    };
    Ok((Plan { defined, model }, tables))
}

/// What counts by a compiled form.
///
/// # Errors
///
/// `malformed` if the plan or a table isn't what compiling writes.
pub fn open(form: Form<Plan>) -> Result<WithDefined> {
    let tables = form.tables();
    let model: Box<dyn Model> = match form.plan.model {
        ModelPlan::Merges(plan) => Box::new(bpe::Merges::new(plan, tables)?),
        ModelPlan::Scores(plan) => Box::new(spm::Scores::new(plan, tables)),
        ModelPlan::Unigram(plan) => Box::new(ugm::Unigram::new(plan, tables)?),
        ModelPlan::Words(plan) => Box::new(wpm::Words::new(plan, tables)),
        ModelPlan::Greedy => Box::new(rwkv::Greedy::new(tables)),
    };
    Ok(WithDefined::new(Defined::new(&form.plan.defined)?, model))
}
