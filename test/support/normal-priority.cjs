'use strict';
// Preloaded into a worker: with its low priority, it would hardly run on a busy machine while a test waits for it.
require('node:os').setPriority = () => {};
