//! Prints `contracts/vectors/chunk.json`, items and the chunk that holds them:
//! `cargo run --package vox-format --example chunk_vector`.

use serde_json::json;
use vox_format::{
    chunk::{ItemRow, encode_chunk},
    preview::preview,
};
use vox_types::{
    BlobRef, ChainHash, ContentHash, Fidelity, ItemKind, RecordRef, Rest, Role, call_number,
};

fn main() -> Result<(), serde_json::Error> {
    let chain_before =
        ChainHash::ROOT.child(Role::System, ItemKind::Message, &ContentHash::of(b"Be brief."));
    let rows: Vec<ItemRow> = (0..70).map(item).collect();
    let items: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "content": row.content.0,
                "rest": match row.rest {
                    Some(Rest::Record(record)) => json!({"record": record.0}),
                    Some(Rest::Extra(blob)) => json!({"extra": blob.0}),
                    None => json!(null),
                },
                "created_at": row.created_at,
                "byte_len": row.byte_len,
                "role": row.role.name(),
                "kind": row.kind.name(),
                "fidelity": row.fidelity.name(),
                "redacted": row.redacted,
                "side": row.side,
                "purged": row.purged,
                "name": row.name,
                "token_estimate": row.token_estimate,
                "call": row.call,
                "preview": row.preview,
            })
        })
        .collect();
    let vector = json!({
        "chain_before": hex(&chain_before.0),
        "items": items,
        "chunk": hex(&encode_chunk(&chain_before, &rows)),
    });
    println!("{}", serde_json::to_string_pretty(&vector)?);
    Ok(())
}

/// Items that use every number of the closed lists, a time before 1970 and more than one block.
fn item(index: u32) -> ItemRow {
    let pick = |count: usize| index as usize % count;
    let text = format!("Item {index} of 70:\n\tgrüße, 你好, {}", "again ".repeat(pick(30)));
    ItemRow {
        content: BlobRef::new(u64::from(3 + index / 40), (index % 40) as u16),
        rest: match pick(3) {
            0 => None,
            1 => Some(Rest::Record(RecordRef::new(4, index as u16))),
            _ => Some(Rest::Extra(BlobRef::new(9, index as u16))),
        },
        created_at: 1_700_000_000_000 * i64::from(index > 0) + i64::from(index) * 1_500 - 1,
        byte_len: if index == 5 { 5 << 30 } else { text.len() as u64 },
        role: Role::ALL[pick(4)],
        kind: ItemKind::ALL[pick(8)],
        fidelity: Fidelity::ALL[pick(3)],
        redacted: pick(10) == 9,
        side: pick(8) == 7,
        purged: pick(9) == 8,
        name: if pick(4) == 1 { 1 + index / 30 } else { 0 },
        token_estimate: text.len() as u32 / 4,
        call: if matches!(pick(8), 4 | 5) {
            call_number(&format!("call {}", index / 8))
        } else {
            0
        },
        preview: if pick(11) == 10 { String::new() } else { preview(text.as_bytes()) },
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
