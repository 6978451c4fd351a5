/** Packages that are not bundled: they have native parts (pg: if installed), or files next to their modules. */
export const EXTERNAL = ['@fastify/swagger-ui', '@resvg/resvg-js', 'docx', 'libsql', 'pdfmake', 'pg']
