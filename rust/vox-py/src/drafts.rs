//! What adapters say, taken over from `vox.sources.base`.

use std::{collections::HashMap, sync::Arc};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyInt, PyList, PyString, PyTuple},
};
use vox_core::archive::{Body, DraftItem, SourceBatch};
use vox_format::rows::UsageRow;
use vox_frame::{Records, Step, Want, WantForm};
use vox_store::append::{NewUsage, WindowChange};
use vox_types::{
    Code, Error, Fidelity, ItemKind, LinkKind, QuarantineReason, Result, Role, WindowKind,
    call_number,
};

use crate::door::{self, AnyBytes};

/// `vox.sources.base.Batch`.
#[derive(FromPyObject)]
pub struct Batch<'py> {
    windows: Vec<WindowDraft>,
    drafts: Bound<'py, PyList>,
    at: HashMap<String, u64>,
    usage: Vec<UsageDraft>,
    rejected: Vec<Rejected>,
    state: PyBackedBytes,
}

/// Where in its source a batch stands, and how much of that is kept.
pub struct Place {
    /// Where it begins.
    pub start: u64,
    /// If it is the source's last: where the source ended when it was read.
    pub read_to: Option<u64>,
    /// Whether the bytes of the records are kept.
    pub raw: bool,
}

impl Batch<'_> {
    /// The same for the core, with the records that it is about.
    pub fn into_core(
        self,
        py: Python<'_>,
        records: Arc<Records>,
        place: Place,
    ) -> PyResult<SourceBatch> {
        let mut keys = Keys::default();
        let mut drafts = Vec::with_capacity(self.drafts.len());
        for value in &self.drafts {
            drafts.push(draft(&value, &mut keys)?);
        }
        let at = keys.keys.iter().map(|key| {
            self.at.get(key).copied().ok_or_else(|| {
                let says = format!("the batch doesn't say at which place items of {key} go");
                PyValueError::new_err(says)
            })
        });
        let at = at.collect::<PyResult<_>>()?;
        let says = || -> Result<_> {
            let windows = self.windows.into_iter().map(WindowDraft::into_core);
            let rejected = self.rejected.iter().map(Rejected::to_core);
            Ok((windows.collect::<Result<_>>()?, rejected.collect::<Result<_>>()?))
        };
        let (windows, rejected) = says().map_err(|error| door::to_python(py, &error))?;
        Ok(SourceBatch {
            records,
            keys: keys.keys,
            at,
            windows,
            drafts,
            usage: self.usage.into_iter().map(UsageDraft::into_core).collect(),
            rejected,
            state: self.state.to_vec(),
            restart: place.start == 0,
            start: place.start,
            last: place.read_to.is_some(),
            read_to: place.read_to.unwrap_or(0),
            raw: place.raw,
            restore_purged: false,
        })
    }
}

/// Gives the keys of windows their places. Drafts of one window mostly follow each other.
#[derive(Default)]
struct Keys {
    keys: Vec<String>,
    places: HashMap<String, usize>,
    last: Option<usize>,
}

impl Keys {
    fn place(&mut self, key: &str) -> usize {
        if let Some(last) = self.last
            && self.keys[last] == key
        {
            return last;
        }
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => {
                self.keys.push(key.to_owned());
                self.places.insert(key.to_owned(), self.keys.len() - 1);
                self.keys.len() - 1
            }
        };
        self.last = Some(place);
        place
    }
}

/// `vox.sources.base.WindowDraft`.
#[derive(FromPyObject)]
pub struct WindowDraft {
    key: String,
    kind: Option<String>,
    title: Option<String>,
    repo: Option<String>,
    workspace: Option<String>,
    agent: Option<String>,
    model_route: Option<String>,
    thread_id: Option<String>,
    trace_id: Option<String>,
    git_sha_at_open: Option<String>,
    git_sha_at_close: Option<String>,
    git_branch: Option<String>,
    fidelity: Option<u8>,
    created_at: Option<i64>,
    parent: Option<String>,
    link: Option<String>,
    shares: u64,
    replays: bool,
}

impl WindowDraft {
    pub fn into_core(self) -> Result<WindowChange> {
        Ok(WindowChange {
            key: self.key,
            kind: self.kind.as_deref().map(WindowKind::from_name).transpose()?,
            title: self.title,
            repo: self.repo,
            workspace: self.workspace,
            agent: self.agent,
            model_route: self.model_route,
            thread_id: self.thread_id,
            trace_id: self.trace_id,
            git_sha_at_open: self.git_sha_at_open,
            git_sha_at_close: self.git_sha_at_close,
            git_branch: self.git_branch,
            fidelity: self.fidelity.map(fidelity).transpose()?,
            created_at: self.created_at,
            parent: self.parent,
            link: self.link.as_deref().map(LinkKind::from_name).transpose()?,
            shares: self.shares,
            replays: self.replays,
            ..WindowChange::default()
        })
    }
}

/// `vox.archive.append.NewItem`.
#[derive(FromPyObject)]
pub struct OwnItem {
    role: u8,
    kind: u8,
    content: AnyBytes,
    created_at: Option<i64>,
    name: Option<String>,
    side: bool,
    redacted: bool,
    token_estimate: Option<u32>,
    call_id: Option<String>,
    call: u32,
}

impl OwnItem {
    pub fn into_core(self) -> Result<vox_core::archive::OwnItem> {
        Ok(vox_core::archive::OwnItem {
            role: Role::from_number(self.role).ok_or_else(|| no_number("role", self.role))?,
            kind: ItemKind::from_number(self.kind).ok_or_else(|| no_number("kind", self.kind))?,
            content: self.content.as_ref().to_vec(),
            created_at: self.created_at,
            name: self.name,
            side: self.side,
            redacted: self.redacted,
            token_estimate: self.token_estimate,
            call: self.call_id.as_deref().map_or(self.call, call_number),
        })
    }
}

/// `vox.sources.base.UsageDraft`.
#[derive(FromPyObject)]
struct UsageDraft {
    window: String,
    key: String,
    model: Option<String>,
    at: Option<i64>,
    input: u64,
    output: u64,
    reasoning: u64,
    cache_read: u64,
    cache_write: u64,
    cache_write_1h: u64,
    cost_nano_usd: Option<u64>,
}

impl UsageDraft {
    fn into_core(self) -> NewUsage {
        NewUsage {
            window: self.window,
            model: self.model,
            row: UsageRow {
                key: self.key,
                model: 0,
                at: self.at.unwrap_or_default(),
                input: self.input,
                output: self.output,
                reasoning: self.reasoning,
                cache_read: self.cache_read,
                cache_write: self.cache_write,
                cache_write_1h: self.cache_write_1h,
                cost_nano_usd: self.cost_nano_usd,
            },
        }
    }
}

/// `vox.sources.base.Rejected`.
#[derive(FromPyObject)]
struct Rejected {
    record: usize,
    reason: String,
}

impl Rejected {
    fn to_core(&self) -> Result<(usize, QuarantineReason)> {
        Ok((self.record, QuarantineReason::from_name(&self.reason)?))
    }
}

/// Takes over a `vox.sources.base.Draft`.
fn draft(value: &Bound<'_, PyAny>, keys: &mut Keys) -> PyResult<DraftItem> {
    let py = value.py();
    macro_rules! field {
        ($name:literal) => {
            value.getattr(pyo3::intern!(py, $name))?
        };
    }
    let key = field!("window");
    let window = keys.place(key.cast::<PyString>()?.to_str()?);
    let body = field!("body");
    let body = if body.is_none() {
        Body::Record
    } else if let Ok(bytes) = body.cast::<PyBytes>() {
        Body::Bytes(bytes.as_bytes().to_vec())
    } else {
        let form = match field!("form").extract::<u8>()? {
            0 => WantForm::String,
            2 => WantForm::Slice,
            3 => WantForm::Base64,
            4 => WantForm::DataUrl,
            other => return Err(door::to_python(py, &no_number("form", other))),
        };
        Body::At(Want { path: path(body.cast::<PyTuple>()?)?, form })
    };
    let role = field!("role").extract::<u8>()?;
    let kind = field!("kind").extract::<u8>()?;
    let (record, created_at, name, side) = (
        field!("record").extract()?,
        field!("created_at").extract()?,
        field!("name").extract()?,
        field!("side").extract()?,
    );
    let call_id = field!("call_id");
    let call = match call_id.is_none() {
        true => 0,
        false => call_number(call_id.cast::<PyString>()?.to_str()?),
    };
    let known = field!("fidelity").extract::<u8>()?;
    let item = || {
        Ok(DraftItem {
            window,
            record,
            role: Role::from_number(role).ok_or_else(|| no_number("role", role))?,
            kind: ItemKind::from_number(kind).ok_or_else(|| no_number("kind", kind))?,
            body,
            created_at,
            name,
            call,
            side,
            fidelity: fidelity(known)?,
        })
    };
    item().map_err(|error| door::to_python(py, &error))
}

fn path(steps: &Bound<'_, PyTuple>) -> PyResult<Vec<Step>> {
    steps
        .iter()
        .map(|step| match step.cast::<PyInt>() {
            Ok(index) => Ok(Step::Index(index.extract()?)),
            Err(_) => Ok(Step::Key(step.cast::<PyString>()?.to_str()?.to_owned())),
        })
        .collect()
}

fn fidelity(number: u8) -> Result<Fidelity> {
    Fidelity::from_number(number).ok_or_else(|| no_number("fidelity", number))
}

fn no_number(what: &str, number: u8) -> Error {
    Error::new(Code::InvalidArgument, format!("{number} is no {what}"))
}
