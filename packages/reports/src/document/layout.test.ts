import { describe, expect, it } from 'vitest'
import { LONGEST, wordsInPieces } from './long-words.js'
import { summaryRows } from './summary-rows.js'

describe('the summary', () => {
  it.each(Array.from({ length: 13 }, (_, count) => count))(
    'of %i facts has full rows of like length',
    (count) => {
      const facts = Array.from({ length: count }, (_, index) => index)
      const rows = summaryRows(facts)
      expect(rows.flat()).toEqual(facts)
      const sizes = rows.map((row) => row.length)
      if (count > 0) {
        expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }
    },
  )
})

describe('long words', () => {
  const shown = (text: string) => wordsInPieces(text).map((word) => word.map((piece) => piece.text).join('|'))

  it('may break after the signs that divide names and paths, and nowhere else', () => {
    expect(shown('convnext_tiny_cross_attention_001')).toEqual(['convnext_|tiny_|cross_|attention_|001'])
    expect(shown('runs/3be03d6b/checkpoints/best.safetensors')).toEqual([
      'runs/|3be03d6b/|checkpoints/|best.|safetensors',
    ])
    expect(shown('Expected calibration error')).toEqual(['Expected', ' ', 'calibration', ' ', 'error'])
    expect(shown('x'.repeat(LONGEST))).toEqual(['x'.repeat(LONGEST)])
  })

  it('without such a sign may break anywhere, since no line holds them', () => {
    const [digest] = wordsInPieces('ab12'.repeat(16))
    expect(digest).toEqual([{ text: 'ab12'.repeat(16), anywhere: true }])
  })

  it('lose nothing', () => {
    const text = ' a  b\nhttps://example.org/a_b?c=d&e=f_ghijklmnop \u00e9\u{1f600} '
    expect(
      wordsInPieces(text, 5)
        .flat()
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })
})
