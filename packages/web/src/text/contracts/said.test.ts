import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saidIn } from './said'
import { said } from './zh-said'

const say = saidIn(said)
const HAN = /\p{Script=Han}/u
const TRAINER = resolve(import.meta.dirname, '../../../../../trainer/src/medloom_trainer')
/** Progress message of a task or node: the first string of the call, including the placeholders of an f-string. */
const PHASE = /\b(?:progress|report|tell)\(\s*f?"([^"]+)"/g
const SERVER = resolve(import.meta.dirname, '../../../../server/src')
const LOSS = /`([^`]{12,})`|'((?:its|the) [^']+)'/g
const COUNTED = /\bcounted\([^"]*?"([a-z ]+)"(?:, "([a-z ]+)")?\)/g

function found(pattern: RegExp, folders: readonly string[]): string[][] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(TRAINER, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.py'))
      .map((name) => readFileSync(join(TRAINER, folder, name), 'utf8')),
  )
  return files.flatMap((text) => [...text.matchAll(pattern)].map(([, ...groups]) => groups))
}

describe('what the service says without a code, in Chinese', () => {
  it('has every phase that the trainer tells', () => {
    const phases = found(PHASE, ['.']).map(([phase = '']) => phase.replace(/\{[^}]*\}/g, '3'))
    const told = phases.filter((phase) => /^\w+ing\b/.test(phase))
    expect(told.length).toBeGreaterThan(30)
    expect(told.filter((phase) => !HAN.test(say(phase) ?? ''))).toEqual([])
  })

  it('has every noun that the values of nodes are counted in, for one and for several', () => {
    const nouns = found(COUNTED, ['nodes', 'cases']).flatMap(([noun = '', plural]) => [
      `1 ${noun}`,
      `1,234 ${plural ?? `${noun}s`}`,
    ])
    expect(nouns.length).toBeGreaterThan(8)
    expect(nouns.filter((noun) => !HAN.test(say(noun) ?? ''))).toEqual([])
  })

  it('tells a line phrase by phrase, and leaves names as they are', () => {
    expect(say('1,234 cases, 3 patients, 2 classes; 5 cases left out')).toBe(
      '1,234 个病例，3 名患者，2 个类别；排除 5 个病例',
    )
    expect(say('resnet18, gated, best of 2 epochs: auc 0.812')).toBe('resnet18，gated，2 轮中最佳：auc 0.812')
    expect(say('resnet18 and mlp of the table, gated')).toBe('resnet18 与表格的 mlp，gated')
    expect(say('model_001: reading the images, 3 of 9')).toBe('model_001：读取图像，第 3 幅，共 9 幅')
  })

  it('tells how an interval was computed, and leaves names of methods as they are', () => {
    expect(say('DeLong over patients; 7 patients of a class are few')).toBe(
      '按患者的 DeLong；某类别仅 7 名患者，偏少',
    )
    expect(say('Newcombe; only 1 patient of a class')).toBe('Newcombe；某类别仅 1 名患者')
    expect(say('Wilson, effective sample size of the overlap; no cases to count')).toBe(
      '重叠部分的 Wilson，有效样本量；没有可计数的病例',
    )
    expect(say('paired patient bootstrap, 2000 replicates')).toBe('按患者配对自助法，2000 次重抽样')
  })

  it('has every line of what a removal takes with it', () => {
    const sources = ['models/remove-model.ts', 'studies/remove-study.ts', 'training/remove-job.ts']
    const lines = sources.flatMap((name) => {
      const [, ...within] = readFileSync(join(SERVER, name), 'utf8').split(/\b(?:lost:|shared = )/)
      return within.flatMap((text) =>
        [...(text.split('\n  }')[0] ?? '').matchAll(LOSS)].map(
          ([, template, quoted]) => template ?? quoted ?? '',
        ),
      )
    })
    expect(lines.length).toBeGreaterThan(10)
    const told = lines.map((line) => line.replace(/\$\{[^}]*\}/g, '3'))
    expect(told.filter((line) => !HAN.test(say(line) ?? ''))).toEqual([])
  })

  it('knows nothing of what is a name alone', () => {
    for (const name of ['resnet18', 'auc 0.812', '/folder/report.html', 'toString', ''])
      expect(say(name)).toBeNull()
  })
})
