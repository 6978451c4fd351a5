import type { Sections } from './declaration.js'

export const RESOURCES = {
  '2. Resources and their fields': {},
  '2.1 Training configuration (`config` in the start request)': {
    '2.1/nested': 'Nested object.',
    '2.1/fields': 'Fields that are shown:',
    '2.1/data.train_csv': 'data.train_csv | string, file path',
    '2.1/data.val_csv': 'data.val_csv | string, file path',
    '2.1/model.vision_backbone': 'model.vision_backbone | string, backbone name',
    '2.1/model.fusion_type': 'model.fusion_type | string, fusion strategy name',
    '2.1/training.epochs': 'training.epochs | integer',
    '2.1/training.batch_size': 'training.batch_size | integer',
    '2.1/schema': 'Full schema of the training configuration: not shown beyond these fields.',
    '2.1/ranges': 'Defaults, required-ness and value ranges of these fields: not shown.',
  },
  '2.2 Training job': {
    '2.2/job_id': 'job_id | string | UUID-format identifier, <job_id>',
    '2.2/status': 'status | string | see section 3',
    '2.2/epoch': 'epoch | integer | current epoch',
    '2.2/total_epochs': 'total_epochs | integer |',
    '2.2/metrics': 'metrics | object | numbers: train_loss, val_loss, val_accuracy',
    '2.2/message': 'message | string | only in start and stop responses',
    '2.2/job_name': 'The start request also carries `job_name` (string).',
  },
  '2.3 Model record (items of the `models` array)': {
    '2.3/model_id': 'model_id | string | <model_id>',
    '2.3/architecture': 'architecture | string | backbone name',
    '2.3/fusion_type': 'fusion_type | string |',
    '2.3/created_at': 'created_at | string | ISO 8601 UTC timestamp',
    '2.3/metrics': 'metrics | object | numbers: val_accuracy, val_auc',
  },
  '2.4 Evaluation': {
    '2.4/request': {
      text: 'Request fields: `checkpoint_path` (string, path), `test_csv` (string, path), `split` (string).',
      parts: {
        '2.4/checkpoint_path': 'Request: `checkpoint_path` (string, path)',
        '2.4/test_csv': 'Request: `test_csv` (string, path)',
        '2.4/split': 'Request: `split` (string)',
      },
    },
    '2.4/response': {
      text: 'Response fields: `model_id` (string), `metrics` (object of numbers: accuracy, auc, f1_score), `report_path` (string, path to an HTML report).',
      parts: {
        '2.4/model_id': 'Response: `model_id` (string)',
        '2.4/metrics': 'Response: `metrics` (object of numbers: accuracy, auc, f1_score)',
        '2.4/report_path': 'Response: `report_path` (string, path to an HTML report)',
      },
    },
  },
  '2.5 System information': {
    '2.5/gpu.available': 'gpu.available | boolean',
    '2.5/gpu.count': 'gpu.count | integer',
    '2.5/gpu.devices':
      'gpu.devices[] | objects: id (integer), name (string), memory_total (string with unit), memory_used (string with unit)',
    '2.5/disk': {
      text: 'disk.total, disk.used, disk.free | strings with unit',
      parts: {
        '2.5/disk.total': 'disk.total | string with unit',
        '2.5/disk.used': 'disk.used | string with unit',
        '2.5/disk.free': 'disk.free | string with unit',
      },
    },
    '2.5/python_version': 'python_version | string',
    '2.5/pytorch_version': 'pytorch_version | string',
  },
  '2.6 Health': {
    '2.6/health': {
      text: '`status` (string) and `timestamp` (ISO 8601 UTC string).',
      parts: {
        '2.6/status': '`status` (string)',
        '2.6/timestamp': '`timestamp` (ISO 8601 UTC string)',
      },
    },
  },
  '2.7 Progress message (WebSocket)': {
    '2.7/fields': {
      text: '`type` (string, see section 6), `job_id` (string), `epoch` (integer), `batch` (integer), `total_batches` (integer), `metrics` (object of numbers: loss, accuracy).',
      parts: {
        '2.7/type': '`type` (string, see section 6)',
        '2.7/job_id': '`job_id` (string)',
        '2.7/epoch': '`epoch` (integer)',
        '2.7/batch': '`batch` (integer)',
        '2.7/total_batches': '`total_batches` (integer)',
        '2.7/metrics': '`metrics` (object of numbers: loss, accuracy)',
      },
    },
  },
  '2.8 Error body': {
    '2.8/fields': {
      text: '`error` (string message), `code` (string), `details` (string).',
      parts: {
        '2.8/error': '`error` (string message)',
        '2.8/code': '`code` (string)',
        '2.8/details': '`details` (string)',
      },
    },
  },
  '2.9 Dataset record': {
    '2.9/fields': 'Fields of the dataset record: not shown.',
  },
} as const satisfies Sections
