//! The closed lists of `contracts/archive-format.md`, each with its stored number and its name.

use crate::{Code, Error};

macro_rules! closed_list {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$item_doc:meta])* $variant:ident = $number:literal $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$item_doc])* $variant = $number),+ }

        impl $name {
            /// Every value, in the order of the stored numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in answers and options.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The value stored as `number`.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)+ _ => None }
            }

            /// The value called `name`.
            pub fn from_name(name: &str) -> Result<Self, Error> {
                match name {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(Error::new(
                        Code::InvalidArgument,
                        format!(concat!("{:?} is no ", $what, "; use one of: {}"), name, [$($text),+].join(", ")),
                    )),
                }
            }
        }
    };
}

closed_list! {
    /// Who speaks.
    Role, "role" {
        /// The person.
        User = 0 "user",
        /// The model.
        Assistant = 1 "assistant",
        /// Instructions and notes of the program around the model.
        System = 2 "system",
        /// What a tool gave back.
        Tool = 3 "tool",
    }
}

closed_list! {
    /// What an item is.
    ItemKind, "item kind" {
        /// Something said.
        Message = 0 "message",
        /// Something kept at hand by the user.
        Pin = 1 "pin",
        /// A file or an image.
        Attachment = 2 "attachment",
        /// A summary that stands for earlier items.
        Summary = 3 "summary",
        /// The input of a tool call.
        ToolCall = 4 "tool_call",
        /// The output of a tool call.
        ToolResult = 5 "tool_result",
        /// The model's reasoning.
        Reasoning = 6 "reasoning",
        /// A source record that is no part of the conversation, carried as it is.
        Record = 7 "record",
    }
}

closed_list! {
    /// What a window was born as.
    WindowKind, "window kind" {
        /// A conversation with a person.
        Chat = 0 "chat",
        /// A task given to an agent.
        Task = 1 "task",
        /// An agent's or sub-agent's working context.
        Agent = 2 "agent",
        /// A conversation between agents.
        A2a = 3 "a2a",
        /// A transcript that only ever existed as an import.
        Archived = 4 "archived",
    }
}

closed_list! {
    /// The stage of a window's life.
    Tier, "tier" {
        /// In use.
        Hot = 0 "hot",
        /// Idle.
        Warm = 1 "warm",
        /// Compacted.
        Cold = 2 "cold",
        /// Deep archive.
        Frozen = 3 "frozen",
    }
}

closed_list! {
    /// How vox knows what it claims.
    Fidelity, "fidelity" {
        /// The source says so.
        Recorded = 0 "recorded",
        /// Concluded from other facts.
        Inferred = 1 "inferred",
        /// The source doesn't hold it.
        Unknown = 2 "unknown",
    }
}

closed_list! {
    /// What can change about an item.
    OverlayKind, "overlay" {
        /// Hidden, restorable; the value is the time in ms.
        Trimmed = 0 "trimmed",
        /// Kept through compaction; the value is the time in ms.
        Pinned = 1 "pinned",
        /// In the committed set; the value is the position.
        Committed = 2 "committed",
        /// A fate set by hand; the value is its number.
        Fate = 3 "fate",
    }
}

closed_list! {
    /// How one window came from another.
    LinkKind, "link" {
        /// It goes on after a compaction.
        CompactedFrom = 0 "compacted_from",
        /// A sub-agent of it.
        SpawnedBy = 1 "spawned_by",
        /// It shares its beginning.
        ForkedFrom = 2 "forked_from",
        /// It is a summary of it.
        Summarizes = 3 "summarizes",
        /// Made from it in another way.
        DerivedFrom = 4 "derived_from",
        /// Items were taken from it.
        MergedFrom = 5 "merged_from",
    }
}

closed_list! {
    /// How an item's bytes were cut out of its record.
    CutForm, "cut form" {
        /// A JSON string, escaped as `JSON.stringify` does.
        Text = 0 "text",
        /// A JSON string, escaped to ASCII as Python's `json.dumps` does.
        Ascii = 1 "ascii",
        /// A JSON value as it stands.
        Slice = 2 "slice",
        /// Base64 in a JSON string.
        Base64 = 3 "base64",
        /// The base64 part of a data URL in a JSON string.
        DataUrl = 4 "data_url",
        /// The source bytes: the undecoded inside of a JSON string, or the record as a whole.
        Verbatim = 5 "verbatim",
        /// Bytes that were purged; they came from no item that is left.
        Hole = 6 "hole",
    }
}

closed_list! {
    /// Why a stretch of a source file was set aside.
    QuarantineReason, "quarantine reason" {
        /// Not JSON.
        Malformed = 0 "malformed",
        /// The record breaks off.
        Torn = 1 "torn",
        /// JSON, but not a record of this tool.
        NotARecord = 2 "not_a_record",
        /// Nested too deep.
        TooDeep = 3 "too_deep",
        /// Longer than a blob may be.
        TooLong = 4 "too_long",
        /// A damaged zstd frame.
        BadFrame = 5 "bad_frame",
        /// A file that the record refers to could not be read.
        MissingFile = 6 "missing_file",
    }
}
