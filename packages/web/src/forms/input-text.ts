import { parse, stringify } from 'yaml'
import type { Field } from './schema'

/** Text input parsed as a value of the field's kind. */
export type ParsedInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: 'notNumber' | 'notWhole' | 'notYaml' }

const IN_YAML: readonly Field['kind'][] = ['value', 'record', 'rows']

/** An empty input means that the field is not set. */
export function parseInput({ kind }: Pick<Field, 'kind'>, typed: string): ParsedInput {
  if (typed.trim() === '') return { ok: true, value: undefined }
  if (kind === 'number' || kind === 'integer') return parseNumber(typed, kind === 'integer')
  if (kind === 'texts' || kind === 'choices')
    return {
      ok: true,
      value: typed
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    }
  if (IN_YAML.includes(kind)) return parseYaml(typed)
  return { ok: true, value: typed }
}

/** A value in the form in which a user would type it. */
export function formatInput({ kind }: Pick<Field, 'kind'>, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'texts' && Array.isArray(value)) return value.join('\n')
  if (kind === 'record') return stringify(value).trim()
  if (typeof value === 'string' && !IN_YAML.includes(kind)) return value
  return toYaml(value)
}

/** YAML on one line. */
export function toYaml(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}

function parseNumber(typed: string, mustBeInteger: boolean): ParsedInput {
  const value = Number(typed)
  if (!Number.isFinite(value)) return { ok: false, problem: 'notNumber' }
  return mustBeInteger && !Number.isInteger(value) ? { ok: false, problem: 'notWhole' } : { ok: true, value }
}

function parseYaml(typed: string): ParsedInput {
  try {
    return { ok: true, value: parse(typed) }
  } catch {
    return { ok: false, problem: 'notYaml' }
  }
}
