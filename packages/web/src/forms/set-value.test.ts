import { describe, expect, it } from 'vitest'
import { changeDraft, parseDraft } from './draft'

const STUDY = `name: fusion # of the paper
seeds: [ 0, 1 ] # two are enough here
variants:
  # each names what it changes
  # as in the first paper
  - name: gated
  - name: narrow # the small one
    config:
      # half of the default
      model: { hidden_dim: 32 }
  - name: late # asked for by a reviewer
    config: { model: { fusion_type: late } }
`
const variants = () => parseDraft(STUDY).value.variants as Record<string, unknown>[]
const setVariants = (value: unknown) => changeDraft(parseDraft(STUDY), ['variants'], value)

describe('a list of objects in a text', () => {
  it('is the same text when it says the same', () => {
    expect(setVariants(variants()).text).toBe(STUDY)
  })

  it('changes one value and nothing beside it', () => {
    const next = structuredClone(variants())
    Object.assign(next[1] ?? {}, { config: { model: { hidden_dim: 64 } } })
    expect(setVariants(next).text).toBe(STUDY.replace('32', '64'))
  })

  it('loses the comments of what is taken out, and no other', () => {
    const { text, value } = setVariants(variants().toSpliced(1, 1))
    expect(value.variants).toEqual(variants().toSpliced(1, 1))
    expect(text).not.toContain('the small one')
    for (const comment of ['as in the first paper', 'asked for by a reviewer', 'of the paper', 'each names'])
      expect(text).toContain(comment)
  })

  it('grows by a row that is filled in later, written as the others are', () => {
    const empty = setVariants([...variants(), {}])
    const filled = changeDraft(
      empty,
      ['variants'],
      [...variants(), { name: 'wide', config: { training: { epochs: 3 } } }],
    )
    expect(filled.text).toBe(`${STUDY}  - name: wide\n    config:\n      training:\n        epochs: 3\n`)
  })

  it('takes another kind of value where there was a list', () => {
    const { text } = changeDraft(parseDraft(STUDY), ['seeds'], 5)
    expect(parseDraft(text).value).toMatchObject({ seeds: 5, variants: variants() })
    const again = changeDraft(parseDraft(text), ['seeds'], [3, 4])
    expect(again.value.seeds).toEqual([3, 4])
    for (const written of [text, again.text]) expect(written).toContain('# two are enough here')
  })

  it('knows a key that is a number', () => {
    const draft = parseDraft('weights:\n  # by class\n  0: 1 # benign\n  1: 2\n')
    expect(changeDraft(draft, ['weights'], { 0: 1, 1: 5 }).text).toBe(draft.text.replace('1: 2', '1: 5'))
  })
})
