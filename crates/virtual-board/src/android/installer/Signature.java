package wattline.board.installer;

import com.android.apksig.ApkVerifier;
import com.android.apksig.ApkVerifier.IssueWithParams;
import com.android.apksig.ApkVerifier.Result;
import com.android.apksig.apk.ApkFormatException;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Who signed a package, if the signature holds. */
final class Signature {
    private Signature() {
    }

    /**
     * {@code signer} with the SHA-256 of each certificate, and {@code scheme}, the newest that
     * holds.
     */
    static String check(File apk, int sdk) throws Refused, IOException {
        try {
            Result result = new ApkVerifier.Builder(apk)
                    .setMinCheckedPlatformVersion(sdk)
                    .setMaxCheckedPlatformVersion(sdk)
                    .build()
                    .verify();
            if (!result.isVerified()) {
                throw new Refused("INSTALL_PARSE_FAILED_NO_CERTIFICATES", why(result));
            }
            StringBuilder facts = new StringBuilder();
            for (X509Certificate certificate : result.getSignerCertificates()) {
                facts.append("signer\t").append(hash(certificate.getEncoded())).append('\n');
            }
            boolean isNew = result.isVerifiedUsingV2Scheme() || result.isVerifiedUsingV3Scheme();
            return facts.append("scheme\t").append(isNew ? 2 : 1).append('\n').toString();
        } catch (ApkFormatException e) {
            throw new Refused("INSTALL_PARSE_FAILED_NOT_APK", String.valueOf(e.getMessage()));
        } catch (GeneralSecurityException e) {
            throw new Refused("INSTALL_PARSE_FAILED_CERTIFICATE_ENCODING", String.valueOf(e.getMessage()));
        }
    }

    private static String why(Result result) {
        List<IssueWithParams> errors = new ArrayList<>(result.getErrors());
        result.getV1SchemeSigners().forEach(signer -> errors.addAll(signer.getErrors()));
        result.getV2SchemeSigners().forEach(signer -> errors.addAll(signer.getErrors()));
        result.getV3SchemeSigners().forEach(signer -> errors.addAll(signer.getErrors()));
        return errors.isEmpty() ? "no signature" : errors.get(0).toString();
    }

    private static String hash(byte[] bytes) throws GeneralSecurityException {
        StringBuilder text = new StringBuilder();
        for (byte one : MessageDigest.getInstance("SHA-256").digest(bytes)) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }
}
