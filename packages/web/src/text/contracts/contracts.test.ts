import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  after,
  describeCatalog,
  ERRORS,
  METRICS,
  NODES,
  PHRASES,
  type PhraseText,
  phrase,
} from '@medloom/contracts'
import studySchema from '@medloom/contracts/study.schema.json'
import configuration from '@medloom/contracts/training-config.schema.json'
import { describe, expect, it } from 'vitest'
import { type Field, fieldsOf, leavesOf, pathOf, type Schema } from '../../forms/schema'
import { ENGLISH as englishText, textOf } from '.'
import { nodeTextOf } from './nodes'
import { zh as nodeWords } from './nodes/zh'
import { zh } from './zh'

const text = textOf(zh)
const HAN = /\p{Script=Han}/u
const fields = fieldsOf(configuration as Schema)

describe('the titles of the settings in English', () => {
  it('are words of their own, not the keys', () => {
    const leaves = leavesOf(englishText.settings(fields))
    expect(leaves.find((field) => pathOf(field) === 'data.train_csv')?.label).toBe('Training table')
    expect(new Set(leaves.map(({ label }) => label)).size).toBe(leaves.length)
    for (const { label } of leaves) expect(label).not.toMatch(/_|\bcsv\b/i)
    const study = leavesOf(englishText.study(fieldsOf(studySchema as Schema)))
    for (const { label, path } of study) expect(label, path.join('.')).not.toBeNull()
    expect(englishText.topic('folds')).toBe('Cross-validation')
  })
})

describe('the words of the contracts in Chinese', () => {
  it('say what every key of the configuration means, and of nothing else', () => {
    const paths = leavesOf(fields).map(pathOf)
    expect(Object.keys(zh.help).sort()).toEqual(paths.sort())
    for (const words of Object.values(zh.help)) expect(words).toMatch(/\p{Script=Han}/u)
  })

  it('give every key of the configuration and every topic a title of its own', () => {
    const leaves = leavesOf(text.settings(fields))
    for (const { label } of leaves) expect(label).toMatch(/\p{Script=Han}/u)
    expect(new Set(leaves.map(({ label }) => label)).size).toBe(leaves.length)
    for (const { path } of fields) expect(text.topic(path[0] ?? '')).toMatch(/\p{Script=Han}/u)
    expect(text.topic('toString')).toBeNull()
  })

  it('say what every key of a study and of its variants means, and name its base as a training does', () => {
    const every = (given: readonly Field[]): Field[] =>
      leavesOf(given).flatMap((field) => [field, ...every(field.fields)])
    const named = every(text.study(fieldsOf(studySchema as Schema)))
    for (const { label, help, path } of named)
      for (const words of [label, help]) expect(words, path.join('.')).toMatch(/\p{Script=Han}/u)
    const own = named.map(pathOf).filter((path) => !path.startsWith('config.'))
    expect(Object.keys(zh.study.help).sort()).toEqual(own.sort())
    expect(text.topic('folds')).toMatch(/\p{Script=Han}/u)
  })

  it('write every phrase with the same values as in English', () => {
    const values = (words: string) => new Set(words.split(/[{}]/).filter((_, index) => index % 2 === 1))
    const metricNames = new Set<string>(Object.values(METRICS).map(({ label }) => label.zh))
    expect(Object.keys(zh.phrases).sort()).toEqual(Object.keys(PHRASES).sort())
    for (const [code, english] of Object.entries<PhraseText>(PHRASES)) {
      const chinese = zh.phrases[code as keyof typeof zh.phrases]
      expect(values(chinese), code).toEqual(values(typeof english === 'string' ? english : english.other))
      // A name such as "Cohen κ" needs no Chinese character.
      if (chinese !== english && !metricNames.has(chinese))
        expect(chinese, code).toMatch(/[\p{Script=Han}“”\uff00-\uffef]/u)
    }
  })

  it('write a message from its phrases, and none whose phrase they lack', () => {
    const line = [
      phrase('name', { name: 'resnet18' }),
      phrase('best_of_epochs', { count: 1234 }),
      after('semicolon', phrase('cases_left_out', { count: 5 })),
      after('colon', phrase('few_of_a_class', { count: 1 })),
    ]
    expect(text.message(line)).toBe('resnet18，1,234 轮中最佳；排除 5 个病例：某类别仅 1 名患者，偏少')
    expect(text.message([...line, { code: 'of_a_newer_service' }])).toBeNull()
    expect(englishText.message(line)).toBeNull()
  })

  it('say what to do about a code, and suggest the name that was probably meant', () => {
    const suggested = text.remedy('UNKNOWN_FIELD', 'Did you mean "epochs"?', [
      phrase('suggested_name', { name: 'epochs' }),
    ])
    expect(suggested).toEqual({ words: '您是指“epochs”吗？', english: null })
    expect(text.remedy('toString', 'As it is.')).toEqual({ words: '', english: 'As it is.' })
  })

  it('explain every warning and what to do about it, and nothing for an unknown code', () => {
    for (const [code, words] of Object.entries(zh.warnings))
      for (const part of words) expect(part, code).toMatch(HAN)
    expect(text.warning('DATASET_LEAK')).toContain('两个划分')
    expect(text.warning('toString')).toBeNull()
  })

  it('say what every error means, with the English message if it says more', () => {
    for (const [code, words] of Object.entries(zh.meanings)) expect(words, code).toMatch(HAN)
    const meaning = { words: zh.meanings.JOB_RUNNING, english: null }
    expect(text.error('JOB_RUNNING', ERRORS.JOB_RUNNING.meaning)).toEqual(meaning)
    expect(text.error('JOB_RUNNING', 'job 1 runs')).toEqual({ ...meaning, english: 'job 1 runs' })
    expect(text.error('toString', 'As it is.')).toEqual({ words: '', english: 'As it is.' })
  })

  it('name and describe every template of a workflow, with its tags', () => {
    const folder = join(import.meta.dirname, '../../../../../examples/workflows')
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
    expect(Object.keys(zh.workflows).sort()).toEqual(files.map((name) => basename(name, '.json')).sort())
    for (const name of files) {
      const { metadata } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      const { tags, ...words } = text.template(basename(name, '.json')) ?? { tags: [] }
      expect(tags, name).toHaveLength(metadata.tags.length)
      for (const one of [...tags, ...Object.values(words)]) expect(one, name).toMatch(HAN)
    }
    expect(text.template('toString')).toBeNull()
    expect(englishText.template('fusion')).toBeNull()
  })

  it('say what the service says of one case beside what holds for every error of its code', () => {
    const of = (english: string | undefined) => text.remedy('BATCH_TOO_LARGE', english)
    expect(of('Use at most 16.')).toEqual({ words: expect.stringMatching(HAN), english: 'Use at most 16.' })
    for (const general of [undefined, '', ERRORS.BATCH_TOO_LARGE.remedy])
      expect(of(general)).toEqual({ words: expect.stringMatching(HAN), english: null })
  })
})

describe('the words of the node catalog in Chinese', () => {
  const nodes = nodeTextOf(nodeWords)
  const catalog = describeCatalog(NODES)
  const named = nodes.catalog(catalog)

  it('name every node and every port, and leave what they are as it is', () => {
    for (const { title, summary, inputs, outputs } of named.nodes)
      for (const words of [title, summary, ...[...inputs, ...outputs].map((port) => port.title)])
        expect(words).toMatch(HAN)
    const bare = ({ nodes: all }: typeof catalog) =>
      all.map(({ type, inputs, outputs }) => [
        type,
        inputs.map(({ name }) => name),
        outputs.map(({ name }) => name),
      ])
    expect(bare(named)).toEqual(bare(catalog))
    expect(new Set(named.nodes.map(({ title }) => title)).size).toBe(catalog.nodes.length)
  })

  it('say what every field of a node is and means, and of no other', () => {
    for (const { type, config } of catalog.nodes) {
      const leaves = leavesOf(nodes.fields(type, fieldsOf(config as Schema)))
      for (const { label, help, path } of leaves) {
        expect(label, `${type} ${path}`).toMatch(HAN)
        expect(help, `${type} ${path}`).toMatch(HAN)
      }
      const known = nodeWords[type as keyof typeof nodeWords].config
      expect(Object.keys(known).sort(), type).toEqual(leaves.map(pathOf).sort())
    }
  })

  it('keep the words of a node that another service has', () => {
    const [first] = catalog.nodes
    const other = { ...catalog, nodes: [{ ...first, type: 'toString', title: 'As it is' }] } as typeof catalog
    expect(nodes.catalog(other).nodes[0]?.title).toBe('As it is')
    expect(nodes.fields('toString', fieldsOf((first?.config ?? {}) as Schema))).toEqual(
      fieldsOf((first?.config ?? {}) as Schema),
    )
  })
})
