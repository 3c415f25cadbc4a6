/** Examples of operations on the workspace and on managed_fs. */
import type { Example } from './example.ts';

const notebook = {
  object_type: 'NOTEBOOK',
  path: '/reports/daily',
  language: 'PYTHON',
  object_id: 182_736_455_463_728,
  size: 42,
  created_at: 1_772_409_600_000,
  modified_at: 1_772_409_600_000,
};

const file = { path: '/jobs/clean.py', is_dir: false, file_size: 15, modification_time: 1_772_409_600_000 };

const volume = '/Volumes/main/default/input';
const volumeFile = `${volume}/weather.csv`;

export const fileExamples: Readonly<Record<string, Example>> = {
  'POST /workspace/import': {
    request: {
      path: '/reports/daily',
      format: 'SOURCE',
      language: 'PYTHON',
      content: 'cHJpbnQoImhlbGxvIik=',
      overwrite: true,
    },
    answer: {},
  },
  'GET /workspace/export': {
    request: { path: '/reports/daily', format: 'SOURCE' },
    answer: { content: 'cHJpbnQoImhlbGxvIik=', file_type: 'py' },
  },
  'GET /workspace/get-status': { request: { path: '/reports/daily' }, answer: notebook },
  'GET /workspace/list': { request: { path: '/reports' }, answer: { objects: [notebook] } },
  'POST /workspace/mkdirs': { request: { path: '/reports/2026' }, answer: {} },
  'POST /workspace/delete': { request: { path: '/reports/2026', recursive: true }, answer: {} },
  'POST /managed_fs/put': {
    request: { path: '/jobs/clean.py', contents: 'cHJpbnQoImhlbGxvIik=', overwrite: true },
    answer: {},
  },
  'POST /managed_fs/create': {
    request: { path: '/jobs/model.bin', overwrite: true },
    answer: { handle: 182_736_455_463 },
  },
  'POST /managed_fs/add-block': {
    request: { handle: 182_736_455_463, data: 'cHJpbnQoImhlbGxvIik=' },
    answer: {},
  },
  'POST /managed_fs/close': { request: { handle: 182_736_455_463 }, answer: {} },
  'POST /managed_fs/move': {
    request: { source_path: '/jobs/clean.py', destination_path: '/jobs/old/clean.py' },
    answer: {},
  },
  'GET /managed_fs/read': {
    request: { path: '/jobs/clean.py', offset: 0, length: 15 },
    answer: { bytes_read: 15, data: 'cHJpbnQoImhlbGxvIik=' },
  },
  'GET /managed_fs/get-status': { request: { path: '/jobs/clean.py' }, answer: file },
  'GET /managed_fs/list': { request: { path: '/jobs' }, answer: { files: [file] } },
  'POST /managed_fs/mkdirs': { request: { path: '/jobs/old' }, answer: {} },
  'PUT /fs/files/:file_path*': { request: { file_path: volumeFile, overwrite: true }, answer: {} },
  'POST /fs/files/:file_path*': {
    request: { file_path: volumeFile, action: 'initiate-upload' },
    answer: { resumable_upload: { session_token: '0b2d1c6e-6f0c-4a51-9d0e-6f1c5a4f2b7d' } },
  },
  'GET /fs/files/:file_path*': { request: { file_path: volumeFile }, answer: 'city,degrees\nOslo,7\n' },
  'HEAD /fs/files/:file_path*': { request: { file_path: volumeFile }, answer: {} },
  'DELETE /fs/files/:file_path*': { request: { file_path: volumeFile }, answer: {} },
  'PUT /fs/directories/:directory_path*': { request: { directory_path: volume }, answer: {} },
  'GET /fs/directories/:directory_path*': {
    request: { directory_path: volume, page_size: 1_000 },
    answer: {
      contents: [
        {
          path: volumeFile,
          name: 'weather.csv',
          is_directory: false,
          file_size: 20,
          last_modified: 1_772_409_600_000,
        },
      ],
    },
  },
  'HEAD /fs/directories/:directory_path*': { request: { directory_path: volume }, answer: {} },
  'DELETE /fs/directories/:directory_path*': { request: { directory_path: volume }, answer: {} },
  'POST /managed_fs/delete': { request: { path: '/jobs/old', recursive: true }, answer: {} },
};
