package headwater.check;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** All files of a checked job, of any scheme, in a folder of their own: {@code s3://lake/raw} in {@code /sandbox/s3/lake/raw}. */
public class SandboxFiles extends LocalFileSystem {
    public SandboxFiles() {
        super(new Raw());
    }

    public static class Raw extends RawLocalFileSystem {
        private URI uri;
        private String folder;

        public void initialize(URI name, Configuration settings) throws IOException {
            String authority = name.getAuthority();
            uri = URI.create(name.getScheme() + "://" + (authority == null ? "/" : authority));
            folder = settings.get("headwater.sandbox");
            super.initialize(uri, settings);
        }

        public URI getUri() {
            return uri == null ? super.getUri() : uri;
        }

        public Path getWorkingDirectory() {
            return isLocal() ? super.getWorkingDirectory() : new Path(uri.toString(), "/");
        }

        public File pathToFile(Path path) {
            String file = (path.isAbsolute() ? path : new Path(getWorkingDirectory(), path)).toUri().getPath();
            if (folder == null || file.startsWith(folder)) {
                return new File(file);
            }
            return new File(folder + "/" + uri.getScheme() + (isLocal() ? "" : "/" + uri.getAuthority()) + file);
        }

        public FileStatus getFileStatus(Path path) throws IOException {
            FileStatus status = super.getFileStatus(path);
            status.setPath(makeQualified(path));
            return status;
        }

        public FileStatus[] listStatus(Path path) throws IOException {
            return pathToFile(path).isFile() ? new FileStatus[] {getFileStatus(path)} : super.listStatus(path);
        }

        public void setPermission(Path path, FsPermission permission) throws IOException {
            String bits = permission.toString().replace('T', '-').replace('t', 'x');
            Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(bits));
        }

        private boolean isLocal() {
            return uri == null || "file".equals(uri.getScheme());
        }
    }
}
