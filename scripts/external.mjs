/** Packages that are not joined into the program: they have native parts (pg: if installed), or files beside their modules. */
export const EXTERNAL = ['@fastify/swagger-ui', '@resvg/resvg-js', 'docx', 'libsql', 'pdfmake', 'pg']
