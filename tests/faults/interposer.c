/* Stands between a program and the C library (LD_PRELOAD), for what changes files below one folder:
 *
 * - counts the calls and kills the process at one of them, before it, in its middle or after it;
 * - writes down each call with its data, so that the disk can be made again as it was at any moment;
 * - lets calls fail: a disk with so many bytes of room, or any error from some call on;
 * - moves the clock.
 *
 * Nothing happens until one of the interposer_* functions is called, which Python does through
 * ctypes. For Linux: which file a descriptor is of comes from /proc/self/fd.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#undef pwrite64
#undef pwritev64
#undef ftruncate64
#undef open64
#undef openat64
#undef creat64

#define REAL(name) ((__typeof__(&name))real(#name))

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int record_to = -1;
static long calls, kill_at, fail_from, fail_until;
static int error_number, room_is_limited, changes_only;
static long long room;
static long long clock_moved;

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

/* Watches the files below `path`. */
void interposer_watch(const char *path) {
    pthread_mutex_lock(&turn);
    snprintf(folder, sizeof folder, "%s", path);
    folder_length = strlen(folder);
    calls = kill_at = fail_from = fail_until = 0;
    room_is_limited = 0;
    pthread_mutex_unlock(&turn);
}

/* Kills the process at the `at`th call from now on. */
void interposer_kill_at(long at) { calls = 0; kill_at = at; }

/* Lets calls fail with `error`, from the `from`th to the one before the `until`th from now on.
 * Syncs fail too if `syncs`. */
void interposer_fail(long from, long until, int error, int syncs) {
    calls = 0; fail_from = from; fail_until = until; error_number = error; changes_only = !syncs;
}

/* Lets files grow by so many bytes together; without a limit if negative. */
void interposer_room(long long bytes) { room_is_limited = bytes >= 0; room = bytes; }

long interposer_calls(void) { return calls; }

void interposer_move_clock(long long nanoseconds) { clock_moved = nanoseconds; }

/* The journal of calls: what was called, on which path, where, and with which data. */
struct entry { char what; char reserved[3]; uint32_t path_length; uint64_t offset, data_length; };

static void put(const void *bytes, size_t length) {
    const char *at = bytes;
    while (length) {
        ssize_t done = REAL(write)(record_to, at, length);
        if (done <= 0) abort();
        at += done;
        length -= done;
    }
}

static void note(char what, const char *path, uint64_t offset, const void *data, size_t length) {
    if (record_to < 0) return;
    struct entry entry = {what, {0}, strlen(path), offset, length};
    put(&entry, sizeof entry);
    put(path, entry.path_length);
    put(data, length);
}

void interposer_record(int fd) { record_to = fd; }

/* Puts a mark of the program's own into the journal. */
void interposer_mark(const char *text) {
    pthread_mutex_lock(&turn);
    note('M', "", 0, text, strlen(text));
    pthread_mutex_unlock(&turn);
}

static int below(const char *path) {
    return folder_length && !strncmp(path, folder, folder_length)
        && (path[folder_length] == '/' || !path[folder_length]);
}

/* Where `name` in the folder `at` is. */
static int resolve(int at, const char *name, char *path) {
    if (!folder_length) return 0;
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        char link[64], base[PATH_MAX];
        if (at == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
        if (strlen(base) + strlen(name) + 2 > PATH_MAX) return 0;
        strcpy(path, base);
        strcat(path, "/");
        strcat(path, name);
    }
    return below(path);
}

static int path_of(int fd, char *path) {
    if (!folder_length) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path) && !strstr(path, " (deleted)");
}

static void end(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Counts a call. Gives 0 if it may go on, an error if it is to fail, or -1 if the process is to be
 * killed in the middle or after it. */
static int count(int is_sync) {
    calls++;
    if (calls == kill_at) {
        if (calls % 3 == 0) end();
        return -1;
    }
    if (fail_from && calls >= fail_from && calls < fail_until && !(is_sync && changes_only))
        return error_number;
    return 0;
}

static int takes_room(int fd, uint64_t end_of_write) {
    struct stat file;
    if (!room_is_limited || fstat(fd, &file) || (uint64_t)file.st_size >= end_of_write) return 0;
    long long more = end_of_write - file.st_size;
    if (more > room) return 1;
    room -= more;
    return 0;
}

static ssize_t written(int fd, const struct iovec *parts, int n, off_t offset, int positioned) {
    char path[PATH_MAX];
    if (!path_of(fd, path))
        return positioned ? REAL(pwritev)(fd, parts, n, offset) : REAL(writev)(fd, parts, n);
    pthread_mutex_lock(&turn);
    off_t at = offset;
    int flags = fcntl(fd, F_GETFL);
    if (!positioned) {
        struct stat file;
        at = lseek(fd, 0, SEEK_CUR);
        if (flags & O_APPEND && !fstat(fd, &file)) at = file.st_size;
    }
    size_t length = 0;
    for (int i = 0; i < n; i++) length += parts[i].iov_len;
    int verdict = count(0);
    if (verdict == 0 && takes_room(fd, at + length)) verdict = ENOSPC;
    ssize_t done;
    if (verdict > 0) {
        errno = verdict;
        done = -1;
    } else if (verdict < 0 && kill_at % 3 == 1) {
        /* No disk and no kernel tears what lies within a sector. */
        off_t middle = (at + (off_t)parts[0].iov_len / 2) & ~511;
        struct iovec half = {parts[0].iov_base, middle > at ? middle - at : 0};
        positioned ? REAL(pwritev)(fd, &half, 1, offset) : REAL(writev)(fd, &half, 1);
        end();
        done = -1;
    } else {
        done = positioned ? REAL(pwritev)(fd, parts, n, offset) : REAL(writev)(fd, parts, n);
        if (verdict < 0) end();
        size_t left = done > 0 && record_to >= 0 ? done : 0;
        for (int i = 0; i < n && left; i++) {
            size_t piece = parts[i].iov_len < left ? parts[i].iov_len : left;
            note(flags & (O_SYNC | O_DSYNC) ? 'P' : 'W', path, at, parts[i].iov_base, piece);
            at += piece;
            left -= piece;
        }
    }
    int error = errno;
    pthread_mutex_unlock(&turn);
    errno = error;
    return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    struct iovec part = {(void *)bytes, length};
    char path[PATH_MAX];
    return path_of(fd, path) ? written(fd, &part, 1, 0, 0) : REAL(write)(fd, bytes, length);
}
ssize_t writev(int fd, const struct iovec *parts, int n) { return written(fd, parts, n, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    struct iovec part = {(void *)bytes, length};
    return written(fd, &part, 1, offset, 1);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    return pwrite(fd, bytes, length, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t offset) {
    return written(fd, parts, n, offset, 1);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int n, off64_t offset) {
    return written(fd, parts, n, offset, 1);
}

/* These would copy within the kernel, unseen; whoever calls them then writes by itself. */
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned f) {
    char path[PATH_MAX];
    if (!path_of(out, path)) return REAL(copy_file_range)(in, in_at, out, out_at, n, f);
    errno = ENOSYS;
    return -1;
}
static ssize_t sent(const char *name, int out, int in, off64_t *at, size_t n) {
    char path[PATH_MAX];
    if (!path_of(out, path))
        return ((ssize_t(*)(int, int, off64_t *, size_t))real(name))(out, in, at, n);
    errno = ENOSYS;
    return -1;
}
ssize_t sendfile(int out, int in, off_t *at, size_t n) { return sent("sendfile", out, in, at, n); }
ssize_t sendfile64(int out, int in, off64_t *at, size_t n) {
    return sent("sendfile64", out, in, at, n);
}

/* A call that does one thing to one place, and is noted when it went well. */
#define SIMPLE(is_sync, watched, call, what, offset, data, data_length)                            \
    do {                                                                                           \
        if (!(watched)) return call;                                                               \
        pthread_mutex_lock(&turn);                                                                 \
        int verdict = count(is_sync), done = -1, error;                                            \
        if (verdict > 0) {                                                                         \
            errno = verdict;                                                                       \
        } else {                                                                                   \
            done = call;                                                                           \
            if (verdict < 0) end();                                                                \
            if (!done) note(what, path, offset, data, data_length);                                \
        }                                                                                          \
        error = errno;                                                                             \
        pthread_mutex_unlock(&turn);                                                               \
        errno = error;                                                                             \
        return done;                                                                               \
    } while (0)

int ftruncate(int fd, off_t length) {
    char path[PATH_MAX];
    SIMPLE(0, path_of(fd, path), REAL(ftruncate)(fd, length), 'T', length, "", 0);
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }
int fsync(int fd) {
    char path[PATH_MAX];
    SIMPLE(1, path_of(fd, path), REAL(fsync)(fd), 'S', 0, "", 0);
}
int fdatasync(int fd) {
    char path[PATH_MAX];
    SIMPLE(1, path_of(fd, path), REAL(fdatasync)(fd), 'S', 0, "", 0);
}
int mkdirat(int at, const char *name, mode_t mode) {
    char path[PATH_MAX];
    SIMPLE(0, resolve(at, name, path), REAL(mkdirat)(at, name, mode), 'D', 0, "", 0);
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
int unlinkat(int at, const char *name, int flags) {
    char path[PATH_MAX];
    SIMPLE(0, resolve(at, name, path), REAL(unlinkat)(at, name, flags),
           flags & AT_REMOVEDIR ? 'V' : 'U', 0, "", 0);
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    char path[PATH_MAX], other[PATH_MAX];
    int watched = resolve(from, old, path) + resolve(to, new, other) == 2;
    SIMPLE(0, watched, REAL(renameat2)(from, old, to, new, flags), 'R', 0, other, strlen(other));
}
int renameat(int from, const char *old, int to, const char *new) {
    return renameat2(from, old, to, new, 0);
}
int rename(const char *old, const char *new) {
    return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0);
}

static int opened(int at, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat file;
    if (!(flags & (O_CREAT | O_TRUNC)) || !resolve(at, name, path))
        return REAL(openat)(at, name, flags, mode);
    pthread_mutex_lock(&turn);
    int is_new = fstatat(at, name, &file, 0) != 0;
    int changes = is_new || (flags & O_TRUNC && file.st_size);
    int verdict = changes ? count(0) : 0, fd = -1;
    if (verdict > 0) {
        errno = verdict;
    } else {
        fd = REAL(openat)(at, name, flags, mode);
        if (verdict < 0) end();
        if (fd >= 0 && changes) note(is_new ? 'C' : 'T', path, 0, "", 0);
    }
    int error = errno;
    pthread_mutex_unlock(&turn);
    errno = error;
    return fd;
}

#define MODE(flags, last)                                                                          \
    mode_t mode = 0;                                                                               \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                           \
        va_list more;                                                                              \
        va_start(more, last);                                                                      \
        mode = va_arg(more, mode_t);                                                               \
        va_end(more);                                                                              \
    }
int open(const char *name, int flags, ...) {
    MODE(flags, flags)
    return opened(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
    MODE(flags, flags)
    return opened(AT_FDCWD, name, flags, mode);
}
int openat(int at, const char *name, int flags, ...) {
    MODE(flags, flags)
    return opened(at, name, flags, mode);
}
int openat64(int at, const char *name, int flags, ...) {
    MODE(flags, flags)
    return opened(at, name, flags, mode);
}
int creat(const char *name, mode_t mode) {
    return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    int done = REAL(clock_gettime)(clock, time);
    if (!done && clock == CLOCK_REALTIME && clock_moved) {
        long long now = time->tv_sec * 1000000000LL + time->tv_nsec + clock_moved;
        time->tv_nsec = (now % 1000000000 + 1000000000) % 1000000000; /* also before 1970 */
        time->tv_sec = (now - time->tv_nsec) / 1000000000;
    }
    return done;
}
