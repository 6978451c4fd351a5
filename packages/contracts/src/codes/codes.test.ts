import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CLIENT_ERRORS,
  ERRORS,
  type ErrorIssue,
  ISSUES,
  readWarnings,
  WARNINGS,
  type Warning,
} from '../index.js'

const ROOT = join(import.meta.dirname, '../../../..')
const CATALOG = { ...CLIENT_ERRORS, ...ERRORS, ...WARNINGS, ...ISSUES }

/** Path → text of the sources below `folder`, without tests. */
function sources(folder: string, suffix: string): [string, string][] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile() && file.name.endsWith(suffix) && !file.name.includes('.test.'))
    .map((file) => join(file.parentPath, file.name))
    .map((path) => [path.slice(ROOT.length + 1), readFileSync(path, 'utf8')])
}

const python = sources('trainer/src', '.py').filter(([path]) => !path.endsWith('contract/codes.py'))
const typescript = ['contracts', 'workflow', 'server', 'reports', 'client', 'cli']
  .flatMap((name) => sources(`packages/${name}/src`, '.ts'))
  .filter(([path]) => !/contracts\/src\/codes\/(errors|warnings|issues)\.ts$/.test(path))

describe('the catalog of codes', () => {
  it.each(Object.entries(CATALOG))('%s has a meaning and a remedy', (code, { meaning, remedy }) => {
    expect(code).toMatch(/^[A-Z][A-Z_]+$/)
    expect(meaning).toMatch(/^[A-Z].*\.$/)
    expect(remedy).toMatch(/^[A-Z].*\.$/)
  })

  it('the simple model is only recommended if the model is worse', () => {
    const [worse, inconclusive] = WARNINGS.NOT_BETTER_THAN_BASELINE.remedy.split(
      'If the difference is inconclusive',
    )
    expect(worse).toMatch(/^If the model is worse, use the simple model/)
    expect(inconclusive).toContain('neither model is shown to be better')
    expect(inconclusive).not.toContain('simple model')
  })

  it('one error alone has the status 403, which is given only where users have tokens', () => {
    expect(Object.entries(ERRORS).filter(([, { http }]) => http === 403)).toEqual([
      ['FORBIDDEN', ERRORS.FORBIDDEN],
    ])
  })

  it('the status 503 is given only with a database server, several processes or a cluster', () => {
    const away = Object.keys(ERRORS).filter((code) => ERRORS[code as keyof typeof ERRORS].http === 503)
    expect(away.sort()).toEqual([
      'CLUSTER_UNREACHABLE',
      'CONTROLLER_LOST',
      'CONTROLLER_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
    ])
  })

  it('the status 429 is given only to a caller with more at once than one may have', () => {
    const limits = Object.entries(ERRORS).filter(([, { http }]) => http === 429)
    expect(limits.map(([code]) => code)).toEqual(['TOO_MANY_REQUESTS', 'TOO_MANY_SOCKETS'])
  })

  it.each(Object.entries(ERRORS).filter(([, { http }]) => ![403, 429, 503].includes(http)))(
    'error %s has a status of the contract',
    (_, { http }) => {
      expect([400, 401, 404, 500]).toContain(http)
    },
  )

  it('holds every code that the trainer raises or warns of', () => {
    const used = (before: string) =>
      python.flatMap(([path, text]) =>
        [...text.matchAll(new RegExp(`${before}\\s*"([A-Z_]+)"`, 'g'))].map(([, code]) => [path, code]),
      )
    const raised = used('\\bTrainerError\\(')
    const warned = used('\\bwarn(?:ing)?\\(')
    expect(raised.length).toBeGreaterThan(50)
    expect(warned.length).toBeGreaterThan(20)
    for (const [path, code] of raised) expect(Object.keys(ERRORS), path).toContain(code)
    for (const [path, code] of warned) expect(Object.keys(WARNINGS), path).toContain(code)
  })

  it('is where every warning of the trainer comes from: none is written out as a dictionary', () => {
    for (const [path, text] of python.filter(([path]) => !path.endsWith('medloom_trainer/warnings.py')))
      expect(/\{\s*"code":\s*(?:"|code,\s*"message": message\s*\})/.test(text), path).toBe(false)
  })

  it('holds no code that nothing uses', () => {
    const text = [...python, ...typescript].map(([, source]) => source).join('\n')
    const unused = Object.keys(CATALOG).filter((code) => !new RegExp(`(['"])${code}\\1`).test(text))
    expect(unused).toEqual([])
  })

  it.each([
    ['errors', { ...ERRORS, ...CLIENT_ERRORS }],
    ['warnings', WARNINGS],
    ['issues', ISSUES],
  ])('stands on the reference page of %s, which lists nothing else', (page, codes) => {
    const text = readFileSync(join(ROOT, `docs/reference/${page}.md`), 'utf8')
    const listed = [...text.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
    expect(listed).toEqual(Object.keys(codes))
  })
})

it('a code outside the catalog is a compile error', () => {
  // @ts-expect-error: no such issue code
  const issue: ErrorIssue = { path: 'data', code: 'NO_SUCH_ISSUE', message: 'wrong' }
  // @ts-expect-error: no such warning code
  const warning: Warning = { code: 'NO_SUCH_WARNING', message: 'odd' }
  expect([issue.code, warning.code]).toHaveLength(2)
})

it('warnings that were stored without a code are read', () => {
  const coded = { code: 'CONSTANT_COLUMN', message: '"site" is constant' } as const
  expect(readWarnings(['3 rows are left out', coded])).toEqual([
    { code: 'UNSPECIFIED', message: '3 rows are left out' },
    coded,
  ])
})
