/** Size of a PNG in pixels, from its header (PNG 3rd edition, 11.2.1). */
export function pngSize(png: string): { readonly width: number; readonly height: number } {
  const header = Buffer.from(png.slice(0, 32), 'base64')
  return { width: header.readUInt32BE(16), height: header.readUInt32BE(20) }
}
