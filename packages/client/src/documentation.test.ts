import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_ERRORS, ERRORS, ROUTES, type RouteDeclaration } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { MedloomClient } from './node.js'

const source = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const routes = Object.entries(ROUTES as Record<string, RouteDeclaration>)
const client = new MedloomClient({ baseUrl: 'http://127.0.0.1:9' })

/** Method → its JSDoc, for every public method declared in a file. */
function documented(text: string): Map<string, string> {
  const methods = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}(?:async )?(\w+)(?:<[^(]*>)?\(/gm
  return new Map([...text.matchAll(methods)].map(([, doc = '', name = '']) => [name, doc]))
}

const ofRoutes = documented(source('methods.ts'))
const ofClient = documented(source('client.ts'))

describe('the documentation of the client', () => {
  it.each(routes)(
    'documents the purpose of the route %s, its address and an example',
    (name, { method, path, summary }) => {
      const doc = ofRoutes.get(name) ?? ''
      expect(doc.replaceAll(/\s*\*\s*/g, ' ')).toContain(`${summary}.`)
      expect(doc).toContain(`\`${method} ${path}\``)
      expect(doc).toContain(`client.${name}(`)
    },
  )

  it('exists for every public method, those that are not routes included', () => {
    expect([...ofClient.keys()].filter((name) => name !== 'constructor').sort()).toEqual(
      [
        ...['call', 'download', 'startTask', 'uploadFile'],
        ...['watch', 'watchService', 'watchStudy', 'watchWorkflow'],
      ].sort(),
    )
    for (const [name, doc] of [...ofRoutes, ...ofClient])
      if (name !== 'constructor') expect(doc.trim(), name).not.toBe('')
  })

  const files = [
    'methods.ts',
    'client.ts',
    'call.ts',
    'errors.ts',
    'upload.ts',
    'watch.ts',
    'watch-study.ts',
    'watch-workflow.ts',
    'reconnect.ts',
  ]
  const comments = files.flatMap((file) => source(file).match(/\/\*\*[\s\S]*?\*\//g) ?? [])

  it('names only methods that exist', () => {
    const cited = comments.flatMap((text) =>
      [...text.matchAll(/client\.(\w+)\(/g)].map(([, name = '']) => name),
    )
    expect(cited.length).toBeGreaterThan(routes.length)
    for (const name of cited)
      expect((client as unknown as Record<string, unknown>)[name], name).toBeTypeOf('function')
    const byName = comments.flatMap((text) =>
      [...text.matchAll(/client\.call\('(\w+)'/g)].map(([, name = '']) => name),
    )
    for (const name of byName) expect(Object.keys(ROUTES)).toContain(name)
  })

  it('names only codes that exist', () => {
    const cited = comments.flatMap((text) => text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [])
    expect(cited).toContain('JOB_NOT_FOUND')
    for (const code of cited) expect({ ...ERRORS, ...CLIENT_ERRORS }, code).toHaveProperty(code)
  })
})
