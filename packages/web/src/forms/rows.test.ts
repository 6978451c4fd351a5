import schema from '@medloom/contracts/study.schema.json'
import { expect, it } from 'vitest'
import { rowsOf } from './rows'
import { fieldsOf, leavesOf, pathOf, type Schema } from './schema'

const variants = leavesOf(fieldsOf(schema as Schema)).find((field) => pathOf(field) === 'variants')

it('keeps the base of a study beside the first variant that is added', () => {
  expect(variants).toBeDefined()
  expect(variants && rowsOf(variants, undefined)).toEqual([{ name: 'base', config: {} }])
  expect(variants && rowsOf(variants, [{ name: 'narrow' }])).toEqual([{ name: 'narrow' }])
})

it('has no rows where a list has no default', () => {
  expect(rowsOf({ default: null }, undefined)).toEqual([])
})
