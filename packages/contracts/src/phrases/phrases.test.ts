import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PHRASES, type PhraseText } from './catalog.js'
import { after, formatPhrases, inEnglish, type PhraseLanguage, phrase } from './format.js'
import { METRIC_PHRASES } from './metrics.js'
import { Phrase } from './phrase.js'

const OTHER: PhraseLanguage = {
  locale: 'de',
  texts: { cases: '{count} Fälle', name: '<{name}>' },
  marks: { comma: ' und ', semicolon: ' | ', colon: ' = ', space: ' ' },
}

describe('a message of phrases', () => {
  it('is written in English with grouped numbers, singular and plural, and its punctuation', () => {
    const line = [
      phrase('cases', { count: 1234 }),
      phrase('patients', { count: 1 }),
      after('semicolon', phrase('cases_left_out', { count: 2 })),
    ]
    expect(inEnglish(line)).toBe('1,234 cases, 1 patient; 2 cases excluded')
    for (const one of line) expect(Phrase.parse(one)).toEqual(one)
  })

  it('is written in another language with its numbers and punctuation; names are not changed', () => {
    const line = [phrase('name', { name: 'a {count}' }), after('colon', phrase('cases', { count: 1234 }))]
    expect(formatPhrases(line, OTHER)).toBe('<a {count}> = 1.234 Fälle')
  })

  it('is written with phrases as values of a phrase', () => {
    const rows = [phrase('name', { name: '3, 5' }), after('space', phrase('and_more', { count: 1234 }))]
    const line = phrase('rows_at', { count: 1236, rows })
    expect(inEnglish([line])).toBe('rows 3, 5 and 1,234 more')
    expect(Phrase.parse(line)).toEqual(line)
    expect(formatPhrases([{ code: 'name', values: { name: [{ code: 'unknown' }] } }], OTHER)).toBeNull()
  })

  it('has no text if the language lacks a phrase or a value is missing', () => {
    expect(formatPhrases([phrase('waiting')], OTHER)).toBeNull()
    expect(formatPhrases([{ code: 'toString' }], OTHER)).toBeNull()
    expect(formatPhrases([{ code: 'cases' }], OTHER)).toBeNull()
  })
})

const ROOT = join(import.meta.dirname, '../../../..')

function filesOf(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && /\.(py|ts|json)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name))
}

/** Files with texts that have no phrases, and the reason. */
const IN_ENGLISH_ONLY = {
  'filter_grammar.py': 'the line of a condition with a mark under the character',
  'spec.py': 'the message of a JSON Schema',
  'tasks.py': 'the message of a JSON Schema',
}

/** Words that end a noun phrase: after them, a plural does not belong to the number. */
const ENDS =
  /^(?:a|agrees|and|are|as|at|but|by|cannot|claims|contains|determines|differs|does|excludes|exists|for|from|has|have|in|is|its|loss|may|needs|no|of|on|or|predicts|reads|requires|so|that|the|this|to|was|were|which|with)$/

/** Values of a phrase that are followed by a plural noun, without `{total}` of "{part} of {total} cases". */
function numbersBeforePlurals(text: string): string[] {
  return [...text.matchAll(/(?<!\} of )\{(\w+)\} ((?:[a-z-]+ ?){1,3})/g)].flatMap(
    ([, name = '', words = '']) => {
      const following = words.trim().split(' ')
      const end = following.findIndex((word) => ENDS.test(word))
      return following.slice(0, end < 0 ? following.length : end).some((word) => /[^su]s$/.test(word))
        ? [name]
        : []
    },
  )
}

/** Values that are texts, limits or sizes, and never 1. */
const NEVER_ONE =
  /^(?:alias|axis|class_|file|folder|format|input|job|k|key|limit|most|needed|operator|other|parameters|place|port|replicates|size|split|table|thing|total|used|what|workflow)$/

/** Phrases whose number is always greater than 1. */
const SEVERAL: readonly string[] = [
  'aligned_small: side',
  'attempt_interrupted: next',
  'attempts_interrupted: number',
  'bootstrap_and_seeds: sets',
  'by_classes: count',
  'case_image_unlike: cases',
  'case_times_median: factor',
  'classes_of_model_differ: classes',
  'copies_not_searched: images',
  'excel_limits: rows, columns',
  'flags_all_missing: labels',
  'full_page_limit: count',
  'header_repeats: count',
  'header_too_wide: columns',
  'image_claims_above_limit: height',
  'image_dimensions: number',
  'image_pages: pages',
  'image_pixels_above_limit: height',
  'input_value_count: number',
  'label_may_be_grades: values',
  'label_of_classes: classes',
  'label_of_many_classes: classes, rows',
  'labels_of_flags: columns',
  'members_need_groups: members',
  'no_space_beside_uploads: reserved',
  'recipe_patient: rows',
  'recipe_patient_in_paths: files',
  'repeated_codes: codes',
  'role_given_twice: number',
  'rows_of_images_differ: rows',
  'rows_of_images_merged: rows',
  'rows_share_images: rows',
  'series_divided: volumes',
  'too_few_columns: count',
  'too_few_events: cases',
  'too_many_connections: count',
  'too_many_members: number',
  'too_many_nodes: count',
  'too_many_settings: count',
  'too_many_trainings: count',
  'upload_above_share: free',
  'uploads_above_share: reserved, free',
]

describe('the catalog of phrases', () => {
  it('has every text of an issue: none is written in English only', () => {
    const folders = ['configuration', 'nodes', 'studies', 'validation', 'workflow'].map(
      (folder) => `packages/contracts/src/${folder}`,
    )
    const sources = filesOf([...folders, 'packages/workflow/src']).filter(
      (path) => !path.endsWith('.test.ts'),
    )
    const inEnglishOnly = sources.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/\b(?:message|hint|error):\s*['"`].*/g)].map(
        ([text]) => `${basename(path)}: ${text}`,
      ),
    )
    expect(inEnglishOnly).toEqual([])
  })

  it('has every error of the server and the trainer: the types require phrases, and no literal circumvents them', () => {
    const bypasses = [
      { folder: 'packages/server/src', literal: /\benglish: (['"`])(?!\1|\$\{)/ },
      { folder: 'trainer/src', literal: /\bPhrased\(\s*f?["']/ },
    ]
    const found = bypasses.flatMap(({ folder, literal }) =>
      filesOf([folder]).filter(
        (path) => !path.endsWith('.test.ts') && literal.test(readFileSync(path, 'utf8')),
      ),
    )
    expect(found.map((path) => basename(path)).sort()).toEqual(Object.keys(IN_ENGLISH_ONLY))
  })

  it('has a singular form wherever a number precedes a plural noun', () => {
    const places = Object.entries(PHRASES).flatMap(([code, text]: [string, PhraseText]) => {
      const [singular, chosen] = typeof text === 'string' ? [text, null] : [text.one, 'count']
      const names = numbersBeforePlurals(singular).filter((name) => name !== chosen && !NEVER_ONE.test(name))
      return names.length > 0 ? [`${code}: ${names.join(', ')}`] : []
    })
    expect(places.toSorted()).toEqual(SEVERAL)
  })

  it('holds no phrase that nothing uses', () => {
    const folders = [
      'trainer/src',
      ...['contracts', 'server', 'workflow', 'reports'].map((name) => `packages/${name}/src`),
    ]
    const sources = filesOf(folders).filter(
      (path) => !/contracts\/src\/phrases|medloom_trainer\/contract\/(?!spec\.py)/.test(path),
    )
    const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n')
    const uses = text.matchAll(/(['"])([a-z][a-z0-9_]*)\1|\bPHRASES\.([a-z_]+)/g)
    const quoted = new Set([...uses].map(([, , code, constant]) => code ?? constant))
    const unused = Object.keys(PHRASES).filter((code) => !quoted.has(code) && !(code in METRIC_PHRASES))
    expect(unused).toEqual([])
  })
})
