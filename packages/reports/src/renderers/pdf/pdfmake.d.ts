/** The part of pdfmake that reports use; the package contains no types. */
declare module 'pdfmake' {
  export type Content = string | readonly Content[] | { readonly [property: string]: unknown }

  interface Definition {
    readonly content: Content
    readonly [property: string]: unknown
  }

  interface TableNode {
    readonly table: { readonly body: readonly (readonly unknown[])[]; readonly headerRows?: number }
  }

  export interface Layout {
    hLineWidth?(line: number, node: TableNode): number
    vLineWidth?(line: number, node: TableNode): number
    hLineColor?(line: number, node: TableNode): string
    vLineColor?(line: number, node: TableNode): string
    paddingLeft?(column: number): number
    paddingRight?(column: number): number
    paddingTop?(row: number): number
    paddingBottom?(row: number): number
    fillColor?(row: number): string | null
  }

  const pdfmake: {
    setFonts(fonts: Record<string, Record<'normal' | 'bold' | 'italics' | 'bolditalics', string>>): void
    setUrlAccessPolicy(allowed: (url: string) => boolean): void
    setLocalAccessPolicy(allowed: (path: string) => boolean): void
    createPdf(definition: Definition): { getBuffer(): Promise<Buffer> }
  }
  export default pdfmake
}
