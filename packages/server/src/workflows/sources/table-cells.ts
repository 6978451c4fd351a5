import { createReadStream } from 'node:fs'

const DELIMITERS = [',', ';', '\t', '|']
const IMAGE_NAME = /\.(png|jpe?g|dcm|dicom|ima|nii(\.gz)?|tiff?|bmp|gif|webp)$/i

/**
 * The cells of a CSV that may name an image file. This decides only which files a result depends on: a cell that is taken by mistake
 * costs a look at a file that is not there. What the table means is the trainer's to say.
 */
export async function imageCells(csv: string): Promise<string[]> {
  const cells = new Set<string>()
  let cell = ''
  let quoted = false
  let delimiter: string | undefined
  let header = ''
  const end = () => {
    const text = cell.trim()
    if (IMAGE_NAME.test(text)) cells.add(text)
    cell = ''
  }
  for await (const piece of createReadStream(csv, { encoding: 'utf8', highWaterMark: 256 * 1024 }))
    for (const character of piece as string) {
      if (character === '"') quoted = !quoted
      else if (!quoted && (character === '\n' || character === '\r')) {
        delimiter ??= delimiterOf(header)
        end()
      } else if (
        !quoted &&
        (delimiter === undefined ? DELIMITERS.includes(character) : character === delimiter)
      )
        end()
      else cell += character
      if (delimiter === undefined) header += character
    }
  end()
  return [...cells]
}

function delimiterOf(header: string): string {
  const count = (character: string) => header.split(character).length
  return DELIMITERS.reduce((best, character) => (count(character) > count(best) ? character : best))
}
