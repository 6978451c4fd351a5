import { describe, expect, it } from 'vitest'
import { problemAt } from './problems'

const problems = new Map([
  ['variants.1.name', 'another variant is named so'],
  ['variants.1.config.model.hidden_dim', 'a smaller one'],
  ['seeds.2', 'given twice'],
])
const errorAt = (path: string) => problemAt(problems, { path: path.split('.') })

describe('what is wrong with a field', () => {
  it('is said at the field, also where it stands inside of its value', () => {
    expect(errorAt('variants.1.name')).toBe('another variant is named so')
    expect(errorAt('variants.1.config')).toBe('model.hidden_dim: a smaller one')
    expect(errorAt('seeds')).toBe('2: given twice')
  })

  it('is not said at another whose name begins alike', () => {
    expect(errorAt('seed')).toBeUndefined()
    expect(errorAt('variants.10')).toBeUndefined()
    expect(errorAt('variants.1.names')).toBeUndefined()
  })
})
