import { type DatasetSummary, LISTED_DATASET } from '@medloom/contracts'

/** A dataset as it is listed: what may be long is shortened, so that a page of a thousand datasets has at most some megabytes. */
export function listedDataset(dataset: DatasetSummary): DatasetSummary {
  const { name, note, classes, splits, ignore_columns, readiness } = dataset
  return {
    ...dataset,
    name: text(name),
    ...(note === undefined ? {} : { note: text(note) }),
    ...(ignore_columns === undefined ? {} : { ignore_columns: first(ignore_columns).map(text) }),
    num_classes: dataset.num_classes ?? classes?.length ?? null,
    classes: classes && first(classes).map((known) => ({ ...known, name: text(known.name) })),
    splits: Object.fromEntries(first(Object.entries(splits)).map(([split, count]) => [text(split), count])),
    readiness: {
      ...readiness,
      checks: first(readiness.checks).map(({ message, hint, message_phrases, hint_phrases, ...check }) => ({
        ...{ ...check, message: text(message), hint: hint && text(hint) },
        // The values of phrases are those of the text, and as long.
        ...(isShort(message_phrases) ? { message_phrases } : {}),
        ...(isShort(hint_phrases) ? { hint_phrases } : {}),
      })),
    },
  }
}

function text(value: string): string {
  return value.slice(0, LISTED_DATASET.text)
}

function isShort(phrases: readonly unknown[] | undefined): boolean {
  return phrases !== undefined && JSON.stringify(phrases).length <= 4 * LISTED_DATASET.text
}

function first<Item>(items: readonly Item[]): Item[] {
  return items.slice(0, LISTED_DATASET.items)
}
