import { type Block, type Fact, numeric, table } from '../document/document.js'
import { DASH, formatCount, formatNumber } from '../document/numbers.js'

/** Summary of a model, any JSON: plain values as facts, lists of records as tables, groups under their name. */
export function modelSummaryBlocks(facts: Readonly<Record<string, unknown>>): Block[] {
  const blocks: Block[] = []
  const plain: Fact[] = []
  for (const [key, value] of Object.entries(facts)) {
    if (isRecords(value)) blocks.push(recordTable(titleOf(key), value))
    else if (isRecord(value)) {
      const items = Object.entries(value).map(
        ([name, item]): Fact => ({ term: titleOf(name), value: written(item) }),
      )
      if (items.length > 0) blocks.push({ kind: 'facts', caption: titleOf(key), items })
    } else plain.push({ term: titleOf(key), value: written(value) })
  }
  return plain.length > 0 ? [{ kind: 'facts', caption: 'Model summary', items: plain }, ...blocks] : blocks
}

function recordTable(caption: string, rows: readonly Record<string, unknown>[]): Block {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const isNumeric = (key: string) => rows.every((row) => row[key] === null || typeof row[key] === 'number')
  return table(
    caption,
    keys.map((key) => (isNumeric(key) ? numeric(titleOf(key)) : titleOf(key))),
    rows.map((row) => keys.map((key) => written(row[key]))),
  )
}

/** `trainable_parameters` → `Trainable parameters` */
function titleOf(key: string): string {
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function written(value: unknown): string {
  if (value === null || value === undefined || value === '') return DASH
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : formatNumber(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRecords(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}
