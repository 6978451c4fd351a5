import { type DatasetSummary, LISTED_DATASET } from '@medloom/contracts'

/**
 * A dataset as it is listed: what may be long is shortened, so that a page of a thousand datasets has at most some megabytes. Documents of
 * earlier versions may lack fields.
 */
export function listedDataset<Listed extends Partial<DatasetSummary>>(dataset: Listed): Listed {
  const { name, note, classes, splits, ignore_columns, readiness } = dataset
  return {
    ...dataset,
    ...(name === undefined ? {} : { name: text(name) }),
    ...(note === undefined ? {} : { note: text(note) }),
    ...(ignore_columns ? { ignore_columns: first(ignore_columns).map(text) } : {}),
    ...(classes ? { classes: first(classes).map((known) => ({ ...known, name: text(known.name) })) } : {}),
    ...(classes && classes.length > LISTED_DATASET.items ? { num_classes: classes.length } : {}),
    ...(splits ? { splits: shortSplits(splits) } : {}),
    ...(readiness ? { readiness: { ...readiness, checks: first(readiness.checks).map(shortCheck) } } : {}),
  }
}

function shortSplits(splits: DatasetSummary['splits']): DatasetSummary['splits'] {
  return Object.fromEntries(first(Object.entries(splits)).map(([split, count]) => [text(split), count]))
}

type Check = DatasetSummary['readiness']['checks'][number]

function shortCheck({ message, hint, message_phrases, hint_phrases, ...check }: Check): Check {
  return {
    ...{ ...check, message: text(message), hint: hint && text(hint) },
    // The values of phrases are those of the text, and as long.
    ...(isShort(message_phrases) ? { message_phrases } : {}),
    ...(isShort(hint_phrases) ? { hint_phrases } : {}),
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
