import { z } from 'zod'
import { type Phrase, phrase } from '../../phrases/index.js'
import { refusal } from '../../validation/refusal.js'
import { TEXT_ENCODINGS } from '../choices.js'
import { column, columns, filledCell, folderPattern, pathPattern, tableName } from './parts.js'
import { placeholdersOf } from './pattern.js'

export const TABLE_FORMATS = ['CSV', 'Excel', 'Parquet', 'SPSS', 'Stata', 'SAS', 'JSON', 'MedMNIST'] as const

/** Keys for the reading of a file with a table. */
const OF_A_TABLE = [
  'path',
  'format',
  'sheet',
  'header_row',
  'encoding',
  'decimal',
  'comment',
  'skip',
] as const

/** One source of a recipe: a table, the files of a folder, or the DICOM series of a folder. */
export const RecipeFile = z
  .strictObject({
    name: tableName.meta({ title: 'Name by which joins refer to this table' }),
    path: pathPattern.optional().meta({
      title:
        'File, relative to the source. With placeholders, such as {split}.csv: all files that match are read as one table, with a column for each placeholder. Default: the source itself',
    }),
    format: z.enum(TABLE_FORMATS).optional().meta({ title: 'Format. Default: from the file extension' }),
    sheet: z
      .union([z.string().min(1).max(200), z.int().min(1)])
      .optional()
      .meta({
        title: 'Sheet of an Excel workbook: its name, or its number from 1. Default: the first visible sheet',
      }),
    header_row: z.int().min(1).max(1000).optional().meta({
      title: 'Row of the column names, from 1. Default: the first row; in Excel, the first row below titles',
    }),
    encoding: z
      .enum(TEXT_ENCODINGS)
      .optional()
      .meta({ title: 'Encoding of a CSV. Default: UTF-8, else Windows-1252' }),
    decimal: z.enum(['.', ',']).optional().meta({
      title:
        'Decimal mark of the numbers; the other mark groups thousands. Default: from the values of each column',
    }),
    comment: z
      .string()
      .min(1)
      .max(10)
      .optional()
      .meta({ title: 'Start of lines of a CSV that are comments' }),
    skip: z.int().min(1).max(1000).optional().meta({ title: 'Lines of a CSV above the column names' }),
    pattern: pathPattern.optional().meta({
      title:
        'Instead of a table: pattern of the files of a folder, such as {split}/{label}/{_}.png. Each file is a row, with a column for each placeholder and the column image',
    }),
    dicom: z.literal(true).optional().meta({
      title:
        'Instead of a table: the DICOM series of the folder, with the columns PatientID, StudyInstanceUID, SeriesInstanceUID, Modality, Laterality, ViewPosition and image',
    }),
  })
  .superRefine((file, context) => {
    const refuse = (key: string, message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path: [key], ...refusal(message, hint) })
    if (file.pattern !== undefined && file.dicom)
      refuse('dicom', phrase('pattern_and_dicom'), phrase('remove_one_of_them'))
    const other = file.pattern === undefined ? (file.dicom ? 'dicom' : null) : 'pattern'
    for (const key of OF_A_TABLE)
      if (other !== null && file[key] !== undefined && !(key === 'path' && other === 'dicom'))
        refuse(key, phrase('key_of_table', { key, other }), phrase('remove_key', { key }))
    if (file.pattern !== undefined && placeholdersOf(file.pattern).includes('image'))
      refuse('pattern', phrase('replaces_image', { placeholder: '{image}' }), phrase('use_another_name'))
    if (file.skip !== undefined && file.header_row !== undefined)
      refuse('skip', phrase('skip_and_header'), phrase('remove_one_of_them'))
  })
  .meta({ id: 'RecipeFile' })

/** Columns of another table, added to the rows that have its key. */
export const RecipeJoin = z
  .strictObject({
    table: tableName.meta({ title: 'Name of the table whose columns are added' }),
    on: z
      .union([columns, z.record(column, column)])
      .refine((on) => Object.keys(on).length > 0, refusal(phrase('key_without_column')))
      .meta({
        title: 'Key: columns that both tables have, or {column of the rows so far: column of this table}',
      }),
    numbers: z.literal(true).optional().meta({
      title:
        'Compare the keys as whole numbers, so that 0001 and 1 are equal. Refused if two different texts of one table would be equal',
    }),
    keep: z.enum(['all', 'matched']).default('all').meta({
      title: 'Rows without a match: keep them with empty cells, or leave them out',
    }),
  })
  .meta({ id: 'RecipeJoin' })

/** An image column: its cells name files, found from other columns. */
export const RecipeImages = z
  .strictObject({
    column: column.meta({ title: 'Image column that is filled' }),
    pattern: pathPattern.optional().meta({
      title:
        'Path of the file, with columns as placeholders: {part}/{image_id}.jpg. {_} stands for any text; exactly one file must match',
    }),
    search: z.array(folderPattern).min(1).max(1000).optional().meta({
      title:
        'Folders in which the file named in the column key is searched for; {_} stands for any text in a folder name, and . is the folder of the source',
    }),
    key: column
      .optional()
      .meta({ title: 'Column with the name of the file. Default: the image column itself' }),
    prefix: filledCell.optional().meta({ title: 'Text before the name in the column' }),
    suffixes: z.array(z.string().min(1).max(100)).min(1).max(100).optional().meta({
      title: 'Texts after the name, such as .jpg. Default: the name as it is, and every image file extension',
    }),
  })
  .superRefine((images, context) => {
    const refuse = (key: string, message: Phrase, hint: Phrase) =>
      context.addIssue({ code: 'custom', path: [key], ...refusal(message, hint) })
    const { pattern, search, key, prefix, suffixes } = images
    if (pattern !== undefined && search !== undefined)
      refuse('search', phrase('pattern_and_search'), phrase('remove_one_of_them'))
    if (pattern !== undefined)
      for (const [name, value] of Object.entries({ key, prefix, suffixes }))
        if (value !== undefined)
          refuse(name, phrase('pattern_is_path', { key: name }), phrase('remove_key', { key: name }))
    if (pattern === undefined && search === undefined && prefix === undefined && suffixes === undefined)
      refuse('pattern', phrase('files_not_located'), phrase('locate_files'))
  })
  .meta({ id: 'RecipeImages' })
